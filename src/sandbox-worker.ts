import { WorkerEntrypoint } from "cloudflare:workers";

import type { OwnerId } from "#domain/ids.ts";
import { EMPTY_LOCKFILE } from "#domain/lockfile.ts";
import { type FileReader, readBundle, readPackages } from "#sandbox/code-store.ts";
import { carry } from "#sandbox/egress/connection.ts";
import { meteredFetch } from "#sandbox/egress/metered-fetch.ts";
import { networkOf, ownOrigins } from "#sandbox/egress/network.ts";
import { EgressPoints } from "#sandbox/egress/points.ts";
import { EgressTally } from "#sandbox/egress/tally.ts";
import { foundBundle } from "#sandbox/open.ts";
import { probeLoader } from "#sandbox/probe.ts";
import type { SandboxProcess, SandboxStatus, Target } from "#sandbox/processes/contract.ts";
import { type Collecting, Garbage } from "#sandbox/processes/garbage.ts";
import { IsolateRegister } from "#sandbox/processes/isolate-register.ts";
import type {
  Evaluation,
  Bundle,
  Call,
  DataStores,
  Host,
  Outcome,
  PropRequest,
  Sink,
  UserCode,
} from "#sandbox/user-code.ts";
import {
  collectGarbage,
  endIsolate,
  loadOnce,
  loadUserCode,
  type Tenant,
} from "#sandbox/worker-loader.ts";
import type { SandboxHost } from "#worker/rpc/sandbox-host.ts";

/** The bindings of a sandbox process (tools add them to those of wrangler.sandbox.toml). */
type SandboxEnv = Pick<
  Env,
  | "LOADER"
  | "VERSION"
  | "PUBLIC_URL"
  | "EVENTS_URL"
  | "ALLOW_PRIVATE_TARGETS"
  | "EGRESS_GATEWAY_URL"
  | "OPERATOR_NETWORK"
> & {
  /** The platform, in its own process. */
  PLATFORM: Service<typeof SandboxHost>;
  /** The supervisor's token, sent with each request. */
  SANDBOX_TOKEN: string;
};

const tally = new EgressTally();
const points = new EgressPoints();
const register = new IsolateRegister();
const garbage = new Garbage(register);

/** The garbage collector of this isolate; undefined if the runtime was started without it, as in tests. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a flag of V8 provides it.
const ownGarbage = Reflect.get(globalThis, "collectGarbage") as (() => void) | undefined;

/**
 * Runs users' code in a process of its own: like that of an isolate, its crash does not affect the platform.
 * The platform calls it by RPC, its supervisor by HTTP.
 */
export class Sandbox extends WorkerEntrypoint<SandboxEnv> implements SandboxProcess {
  /**
   * For the supervisor, several times a second: runs the garbage collector and reports memory use; or ends isolates
   * (`DELETE /?keep=` the number to keep).
   */
  override async fetch(request: Request): Promise<Response> {
    if (request.headers.get("authorization") !== `Bearer ${this.env.SANDBOX_TOKEN}`)
      return new Response(null, { status: 403 });
    if (request.method === "DELETE") {
      const keep = Number(new URL(request.url).searchParams.get("keep"));
      await register.end(keep, (target) => endIsolate(this.env, this.#tenant(target)));
      // Their last requests still hold much of their memory.
      ownGarbage?.();
    } else if (ownGarbage) this.ctx.waitUntil(garbage.look(this.#collecting(ownGarbage)));
    return Response.json(register.status() satisfies SandboxStatus);
  }

  describe(target: Target, onlyIfUnused?: boolean): Promise<Evaluation> {
    return this.#use(target, async (code) => ({ ...(await code.describe(onlyIfUnused)) }));
  }

  evaluateProps(
    target: Target,
    request: PropRequest,
    stores?: DataStores,
    host?: Host,
  ): Promise<Evaluation> {
    return this.#use(target, async (code) => ({
      ...(await code.evaluateProps(request, stores, host)),
    }));
  }

  invoke(target: Target, call: Call, host?: Host, stores?: DataStores): Promise<Outcome> {
    return this.#use(target, async (code) => ({ ...(await code.invoke(call, host, stores)) }));
  }

  invokeAll(
    target: Target,
    calls: Call[],
    inOrder: boolean,
    sink: Sink,
    stores?: DataStores,
  ): Promise<Outcome[]> {
    return this.#use(target, async (code) => [
      ...(await code.invokeAll(calls, inOrder, sink, stores)),
    ]);
  }

  async ping(): Promise<void> {}

  async probe(): Promise<void> {
    await probeLoader(this.env);
  }

  #collecting(own: () => void): Collecting {
    return { own, in: (target) => collectGarbage(this.env, this.#tenant(target)) };
  }

  /** Copies results of isolates: returned directly, they would hold their call open. */
  #use<T>(target: Target, use: (code: UserCode) => Promise<T>): Promise<T> {
    return register.during(target, async (reading) =>
      use(await this.#open(target, () => reading(this.#bundle(target)))),
    );
  }

  async #open(target: Target, bundle: () => Promise<Bundle>): Promise<UserCode> {
    const tenant = this.#tenant(target);
    if (target.isAlone) return loadOnce(this.env, tenant, await bundle());
    return loadUserCode(this.env, tenant, bundle);
  }

  #tenant({ owner, plan, expressions, bundleHash, isOffline }: Target): Tenant {
    const egress = this.ctx.exports.Egress({ props: { owner } });
    return { owner, bundleHash, plan, expressions, egress, isOffline };
  }

  async #bundle({ bundleHash: hash, unstored }: Target): Promise<Bundle> {
    const file: FileReader = (name) => this.#read(name);
    if (unstored === undefined) return foundBundle(await readBundle(file, hash), hash);
    const { packages, ...own } = unstored;
    const modules = await readPackages(file, packages);
    return {
      ...own,
      hash,
      map: "",
      lockfile: EMPTY_LOCKFILE,
      dependencies: { hash: packages, modules },
    };
  }

  async #read(name: string): Promise<Response | undefined> {
    const response = await this.env.PLATFORM.readCode(name);
    return response.ok ? response : undefined;
  }
}

/** The only network access of code in this process, like the platform's own for code in its process. */
export class Egress extends WorkerEntrypoint<SandboxEnv, { owner: OwnerId }> {
  override async fetch(request: Request): Promise<Response> {
    this.#settle();
    const { PLATFORM, ...env } = this.env;
    return meteredFetch(request, {
      owner: this.ctx.props.owner,
      adapter: "loader",
      network: networkOf({ fetch: (sent) => PLATFORM.serve(new Request(sent)) }, env),
      gatewayUrl: env.EGRESS_GATEWAY_URL,
      usage: points,
      tally,
    });
  }

  override async connect(socket: Socket): Promise<void> {
    try {
      await carry(socket, {
        owner: this.ctx.props.owner,
        allowPrivate: this.env.ALLOW_PRIVATE_TARGETS === "true",
        gatewayUrl: this.env.EGRESS_GATEWAY_URL,
        ownUrls: ownOrigins(this.env),
        usage: points,
        tally,
      });
    } finally {
      this.#settle();
    }
  }

  #settle(): void {
    this.ctx.waitUntil(tally.settle((sums) => this.env.PLATFORM.reportEgress(sums, points.take())));
  }
}

export default {
  fetch: () => new Response("This process is called by the platform only", { status: 404 }),
} satisfies ExportedHandler<SandboxEnv>;
