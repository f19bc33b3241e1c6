import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

import { ApiError, readUpload, type UploadedScript } from "./upload.ts";

export type ApiCall = { method: string; url: URL; body: Buffer; headers: IncomingHttpHeaders };
export type ApiAnswer = { status: number; headers?: Record<string, string>; text: string };

type Script = UploadedScript & {
  id: string;
  etag: string;
  created_on: string;
  modified_on: string;
};
type Namespace = { name: string; createdOn: string; scripts: Map<string, Script> };
type Result = { result: unknown; result_info?: object };

/** Where the reference puts namespaces and their scripts. */
const PATH =
  /^\/client\/v4\/accounts\/(?<account>[^/]+)\/workers\/dispatch\/namespaces(?:\/(?<namespace>[^/]+)(?:\/(?<scripts>scripts)(?:\/(?<script>[^/]+)(?:\/(?<tags>tags))?)?)?)?$/;

const ID = /^[0-9a-f]{32}$/;
const SCRIPT_NAME = /^[a-z0-9_][a-z0-9-_]{0,62}$/;

/** The limit of the API: calls of one user in 5 minutes; whoever is over it waits until they are over. */
const CALLS = 1200;
const WINDOW_SECONDS = 300;

const LARGEST_PAGE = 1000;

/** The API's namespaces and scripts, in memory. */
export class Api {
  readonly #token: string;
  readonly #namespaces = new Map<string, Namespace>();
  readonly #calls = new Map<string, number[]>();

  constructor({ token }: { token: string }) {
    this.#token = token;
  }

  createNamespace(account: string, name: string): Namespace {
    const namespace = { name, createdOn: new Date().toISOString(), scripts: new Map() };
    this.#namespaces.set(`${account}/${name}`, namespace);
    return namespace;
  }

  /** A script of any account, as a dispatcher finds it. */
  scriptAt(namespace = "", name = ""): Script | undefined {
    const found = [...this.#namespaces].find(([path]) => path.endsWith(`/${namespace}`));
    return found?.[1].scripts.get(name);
  }

  async answer(call: ApiCall): Promise<ApiAnswer> {
    try {
      const { result, result_info } = await this.#perform(call);
      return {
        status: 200,
        text: JSON.stringify({ success: true, errors: [], messages: [], result, result_info }),
      };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { status, code, message } = error;
      const envelope = { success: false, errors: [{ code, message }], messages: [], result: null };
      const headers = status === 429 ? { "retry-after": String(WINDOW_SECONDS) } : {};
      return { status, headers, text: JSON.stringify(envelope) };
    }
  }

  async #perform(call: ApiCall): Promise<Result> {
    const { account = "", ...place } = PATH.exec(call.url.pathname)?.groups ?? {};
    if (!ID.test(account)) throw new ApiError(404, 7003, `Could not route to ${call.url.pathname}`);
    this.#authorise(call, account);
    if (place["namespace"] === undefined) return this.#onNamespaces(call, account);
    const found = this.#namespaces.get(`${account}/${place["namespace"]}`);
    if (!found) throw new ApiError(404, 100_119, "workers.api.error.dispatch_namespace_not_found");
    return onNamespace(call, found, place);
  }

  #authorise({ headers }: ApiCall, account: string): void {
    if (headers.authorization !== `Bearer ${this.#token}`)
      throw new ApiError(401, 10_000, "Authentication error");
    const since = Date.now() - WINDOW_SECONDS * 1000;
    const calls = (this.#calls.get(account) ?? []).filter((atMs) => atMs > since);
    this.#calls.set(account, [...calls, Date.now()]);
    if (calls.length >= CALLS) throw new ApiError(429, 971, "Please wait and consider throttling");
  }

  #onNamespaces({ method, body }: ApiCall, account: string): Result {
    if (method === "POST") {
      const { name } = JSON.parse(body.toString()) as { name: string };
      if (this.#namespaces.has(`${account}/${name}`))
        throw new ApiError(409, 100_118, "A namespace of this name exists");
      return { result: presentNamespace(this.createNamespace(account, name)) };
    }
    if (method !== "GET") throw notAllowed(method);
    const ours = [...this.#namespaces].filter(([path]) => path.startsWith(`${account}/`));
    return { result: ours.map(([, namespace]) => presentNamespace(namespace)) };
  }
}

function onNamespace(
  call: ApiCall,
  namespace: Namespace,
  { scripts, script, tags }: Record<string, string | undefined>,
): Result | Promise<Result> {
  if (script !== undefined) {
    if (!SCRIPT_NAME.test(script)) throw new ApiError(400, 10_016, `${script} is no script name`);
    if (tags === undefined) return onScript(call, namespace, script);
  }
  if (call.method !== "GET") throw notAllowed(call.method);
  if (script !== undefined) return { result: scriptIn(namespace, script).tags };
  return scripts === undefined
    ? { result: presentNamespace(namespace) }
    : pageOf(namespace, call.url.searchParams);
}

function pageOf({ scripts }: Namespace, query: URLSearchParams): Result {
  const { limit: asked = "100", cursor = "" } = Object.fromEntries(query);
  const limit = Number(asked);
  if (!(limit >= 1 && limit <= LARGEST_PAGE)) throw new ApiError(400, 10_001, "limit: 1 to 1000");
  const names = [...scripts.keys()].filter((name) => name > cursor).toSorted();
  const page = names.slice(0, limit);
  const next = names.length > page.length ? page.at(-1) : "";
  return {
    result: page.map((name) => present(scriptIn({ scripts }, name))),
    result_info: { cursor: next, count: page.length },
  };
}

async function onScript(call: ApiCall, namespace: Namespace, name: string): Promise<Result> {
  if (call.method === "PUT") return { result: await upload(call, namespace, name) };
  const script = scriptIn(namespace, name);
  if (call.method === "DELETE") {
    namespace.scripts.delete(name);
    return { result: null };
  }
  if (call.method !== "GET") throw notAllowed(call.method);
  const { created_on, modified_on } = script;
  const dispatch_namespace = namespace.name;
  return { result: { created_on, modified_on, dispatch_namespace, script: present(script) } };
}

async function upload(call: ApiCall, { scripts }: Namespace, name: string) {
  const uploaded = await readUpload(call.body, call.headers);
  const etag = createHash("sha256").update(call.body).digest("hex");
  const now = new Date().toISOString();
  const created_on = scripts.get(name)?.created_on ?? now;
  const script = { ...uploaded, id: name, etag, created_on, modified_on: now };
  scripts.set(name, script);
  return { ...present(script), startup_time_ms: 10 };
}

function scriptIn({ scripts }: Pick<Namespace, "scripts">, name: string): Script {
  const script = scripts.get(name);
  if (!script) throw new ApiError(404, 10_007, "workers.api.error.script_not_found");
  return script;
}

function present({ id, etag, tags, created_on, modified_on }: Script) {
  const handlers = ["fetch"];
  return { id, etag, tags, created_on, modified_on, handlers, has_modules: true };
}

function presentNamespace({ name, createdOn, scripts }: Namespace) {
  return {
    namespace_id: createHash("md5").update(name).digest("hex"),
    namespace_name: name,
    created_on: createdOn,
    modified_on: createdOn,
    script_count: scripts.size,
    trusted_workers: false,
  };
}

function notAllowed(method: string): ApiError {
  return new ApiError(405, 10_405, `Method ${method} not available for that URI`);
}
