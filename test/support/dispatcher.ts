import { RpcTarget, WorkerEntrypoint } from "cloudflare:workers";

import type { OwnerId } from "#domain/ids.ts";
import type { Call, DataStores, Host, PropRequest, Sink, UserCode } from "#sandbox/user-code.ts";

import outboundWorker from "../../src/outbound.ts";
import type { UploadedScript } from "./cloudflare/upload.ts";

type Uploaded = UploadedScript & { etag: string };

/** The outbound Worker that the binding names: the real one, with the parameters of a dispatch in its environment. */
export class Outbound extends WorkerEntrypoint<Env, { owner: OwnerId | "" }> {
  override async fetch(request: Request): Promise<Response> {
    const { owner } = this.ctx.props;
    if (owner === "") throw new Error("This call was not dispatched for anybody");
    const outboundEnv = { ...this.env, OWNER: owner, PLATFORM: this.ctx.exports.default };
    return outboundWorker.fetch(new Request(request), outboundEnv, this.ctx);
  }
}

/** The limits of a dispatch, as the binding declares them: its `parameters` are `OWNER` alone. */
type Limits = { cpuMs?: number; subRequests?: number };
type Options = {
  limits?: Limits;
  outbound?: { OWNER?: OwnerId | "" };
};

/** The number of calls of each script for its owner, and the limits of the last one. */
const dispatches = new Map<string, { count: number; limits: Limits }>();

/** Cloudflare's network also caches a script, and so runs it for a moment after its deletion. */
const CACHED_MS = 2000;
const found = new Map<string, { script: Uploaded; atMs: number }>();

/**
 * A dispatch namespace: runs uploaded scripts alone, each in a separate isolate. Like the real binding it rejects a
 * missing script only when that is called, with the real error.
 */
export class Dispatcher extends WorkerEntrypoint<Env> {
  get(name: string, args: object = {}, { limits = {}, outbound = {}, ...rest }: Options = {}) {
    checkNames("args", args, []);
    checkNames("options", rest, []);
    checkNames("limits", limits, ["cpuMs", "subRequests"]);
    checkNames("outbound", outbound, ["OWNER"]);
    return new Script(async () => {
      const script = await this.#find(name);
      if (!script) throw new Error("Worker not found.");
      const { OWNER = "" } = outbound;
      if (OWNER !== "")
        dispatches.set(name, { count: (dispatches.get(name)?.count ?? 0) + 1, limits });
      return this.#load(script, limits, OWNER);
    });
  }

  /** For tests: the number of calls of a script for its owner, and the limits of the last one. */
  async callsTo(name: string): Promise<{ count: number; limits: Limits }> {
    return dispatches.get(name) ?? { count: 0, limits: {} };
  }

  async #find(name: string): Promise<Uploaded | undefined> {
    const cached = found.get(name);
    if (cached && Date.now() - cached.atMs < CACHED_MS) return cached.script;
    // Of a crowd of callers one fetches it: the others run the cached one meanwhile.
    if (cached) cached.atMs = Date.now();
    const { origin } = new URL(this.env.CLOUDFLARE_API_URL);
    const answer = await fetch(`${origin}/scripts/${this.env.DISPATCH_NAMESPACE}/${name}`);
    const script = await answer.json<Uploaded | null>();
    if (!script) {
      found.delete(name);
      return undefined;
    }
    found.set(name, { script, atMs: Date.now() });
    return script;
  }

  #load(script: Uploaded, limits: Limits, owner: OwnerId | ""): Fetcher {
    const worker = this.env.LOADER.get(`${script.etag}:${owner}`, () => ({
      compatibilityDate: script.compatibilityDate,
      compatibilityFlags: script.compatibilityFlags,
      mainModule: script.mainModule,
      modules: Object.fromEntries(
        Object.entries(script.modules).map(([name, { type, content }]) => [
          name,
          moduleOf(type, content),
        ]),
      ),
      env: {},
      globalOutbound: outboundOf(this.ctx.exports, owner),
      limits,
    }));
    return worker.getEntrypoint();
  }
}

function moduleOf(type: string, content: string) {
  if (type === "application/wasm") return { wasm: Uint8Array.fromBase64(content).buffer };
  return type === "application/javascript" ? { cjs: content } : { js: content };
}

/** A script, if it exists. The entrypoint of a loaded isolate cannot be passed on, so calls are. */
class Script extends RpcTarget {
  readonly #open: () => Promise<Fetcher>;

  constructor(open: () => Promise<Fetcher>) {
    super();
    this.#open = open;
  }

  async fetch(url: string) {
    return (await this.#open()).fetch(url);
  }

  describe() {
    return this.#call((code) => code.describe());
  }

  evaluateProps(request: PropRequest, stores?: DataStores, host?: Host) {
    return this.#call((code) => code.evaluateProps(request, stores, host));
  }

  invoke(call: Call, host?: Host, stores?: DataStores) {
    return this.#call((code) => code.invoke(call, host, stores));
  }

  invokeAll(calls: Call[], inOrder: boolean, sink: Sink, stores?: DataStores) {
    return this.#call((code) => code.invokeAll(calls, inOrder, sink, stores));
  }

  /** Passed on unread, a response would hold the call to the isolate open forever, and so its caller. */
  async #call<T>(use: (code: UserCode) => Promise<T>): Promise<T> {
    const code = (await this.#open()) as unknown as UserCode;
    return structuredClone(await use(code));
  }
}

/** The types of the Worker do not include the test's own entrypoints. */
function outboundOf(exports: object, owner: OwnerId | ""): Fetcher {
  return (
    exports as { Outbound: (options: { props: { owner: OwnerId | "" } }) => Fetcher }
  ).Outbound({ props: { owner } });
}

function checkNames(place: string, given: object, known: string[]): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new TypeError(`${place}.${unknown} is not known`);
}
