import { createHash } from "node:crypto";

import { type ApiCall, ApiError, type ApiResult, type Route } from "./api.ts";
import { fieldsIn } from "./resources.ts";
import { checkStartup, NOTHING } from "./startup.ts";
import { readScript, type UploadedScript } from "./upload.ts";

type Script = UploadedScript & {
  id: string;
  etag: string;
  created_on: string;
  modified_on: string;
};
type Namespace = { name: string; createdOn: string; scripts: Map<string, Script> };

const SCRIPT_NAME = /^[a-z0-9_][a-z0-9-_]{0,62}$/;

const MAX_PAGE = 1000;

/** Dispatch namespaces and their scripts, in memory, per the API reference. */
export class Namespaces {
  readonly #known = new Map<string, Namespace>();
  readonly #isOnAccount: boolean;

  /** `isOnAccount`: the account has Workers for Platforms. */
  constructor(isOnAccount = true) {
    this.#isOnAccount = isOnAccount;
  }

  create(name: string): Namespace {
    const namespace = { name, createdOn: new Date().toISOString(), scripts: new Map() };
    this.#known.set(name, namespace);
    return namespace;
  }

  names(): string[] {
    return [...this.#known.keys()];
  }

  /** A script as a dispatcher finds it. */
  scriptAt(namespace: string, name: string): Script | undefined {
    return this.#known.get(namespace)?.scripts.get(name);
  }

  /** The routes of namespaces and scripts; `base` is the path of their account. */
  routes(base: string): Route[] {
    const all = `${base}/workers/dispatch/namespaces`;
    const one = `${all}/:namespace`;
    const script = `${one}/scripts/:script`;
    const routes: Route[] = [
      [`GET ${all}`, () => ({ result: [...this.#known.values()].map(presentNamespace) })],
      [`POST ${all}`, ({ body }) => this.#created(body)],
      [`GET ${one}`, (call) => ({ result: presentNamespace(this.#at(call)) })],
      [`GET ${one}/scripts`, (call) => pageOf(this.#at(call), call.query)],
      [`PUT ${script}`, (call) => upload(call, this.#at(call))],
      [`GET ${script}`, (call) => shown(this.#at(call), nameIn(call))],
      [`DELETE ${script}`, (call) => removed(this.#at(call), nameIn(call))],
      [`GET ${script}/tags`, (call) => ({ result: scriptIn(this.#at(call), nameIn(call)).tags })],
    ];
    return routes.map(([pattern, answer]) => [
      pattern,
      (call) => {
        if (!this.#isOnAccount)
          throw new ApiError(403, 10_121, "You do not have access to dispatch namespaces.");
        return answer(call);
      },
    ]);
  }

  #created(body: Buffer): ApiResult {
    const { name } = fieldsIn(body);
    if (typeof name !== "string") throw new ApiError(400, 10_005, "name is required");
    if (this.#known.has(name)) throw new ApiError(409, 100_118, "A namespace of this name exists");
    return { result: presentNamespace(this.create(name)) };
  }

  #at({ params }: ApiCall): Namespace {
    const found = this.#known.get(params["namespace"] ?? "");
    if (!found) throw new ApiError(404, 100_119, "workers.api.error.dispatch_namespace_not_found");
    return found;
  }
}

function nameIn({ params }: ApiCall): string {
  const { script = "" } = params;
  if (!SCRIPT_NAME.test(script)) throw new ApiError(400, 10_016, `${script} is no script name`);
  return script;
}

function pageOf({ scripts }: Namespace, query: URLSearchParams): ApiResult {
  const { limit: requested = "100", cursor = "" } = Object.fromEntries(query);
  const limit = Number(requested);
  if (!(limit >= 1 && limit <= MAX_PAGE)) throw new ApiError(400, 10_001, "limit: 1 to 1000");
  const names = [...scripts.keys()].filter((name) => name > cursor).toSorted();
  const page = names.slice(0, limit);
  const next = names.length > page.length ? page.at(-1) : "";
  return {
    result: page.map((name) => present(scriptIn({ scripts }, name))),
    result_info: { cursor: next, count: page.length },
  };
}

function shown(namespace: Namespace, name: string): ApiResult {
  const script = scriptIn(namespace, name);
  const { created_on, modified_on } = script;
  const dispatch_namespace = namespace.name;
  return { result: { created_on, modified_on, dispatch_namespace, script: present(script) } };
}

function removed(namespace: Namespace, name: string): ApiResult {
  scriptIn(namespace, name);
  namespace.scripts.delete(name);
  return { result: null };
}

async function upload(call: ApiCall, { scripts }: Namespace): Promise<ApiResult> {
  const name = nameIn(call);
  const uploaded = await readScript(call.body, call.headers);
  const { compatibilityDate, compatibilityFlags } = uploaded;
  // Starting each component alone would take most of a second: its flags are checked on an empty script.
  await checkStartup({ ...NOTHING, compatibilityDate, compatibilityFlags });
  const etag = createHash("sha256").update(call.body).digest("hex");
  const now = new Date().toISOString();
  const created_on = scripts.get(name)?.created_on ?? now;
  const script = { ...uploaded, id: name, etag, created_on, modified_on: now };
  scripts.set(name, script);
  return { result: { ...present(script), startup_time_ms: 10 } };
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
