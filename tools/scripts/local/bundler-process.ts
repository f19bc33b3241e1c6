import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

import { Response, type V4WorkerOptions } from "miniflare";

import type { ProcessReport } from "#worker/build-watch.ts";

import type { Build } from "./build.ts";
import { INNER_HOST } from "./inner-host.ts";
import { freePort } from "./ports.ts";
import { cpuTimeOf, memoryOf } from "./process-usage.ts";
import { workerdConfig } from "./workerd-config.ts";
import { type LogLine, startWorkerd, type Workerd } from "./workerd.ts";

/** The compiler computes for long, and events must not wait for it: beside a busy process it gets a quarter of a core. */
const NICENESS = 6;

/** The compiler and the largest accepted packages take a sixth of this. */
const MAX_MEMORY_BYTES = 2 ** 30;

const MEMORY_INTERVAL_MS = 500;

/** The pause after a process that did not start. */
const PAUSE_MS = 1000;

/**
 * V8 drops WebAssembly code when any isolate collects garbage, and would recompile the compiler for most builds without
 * this flag.
 */
export const KEEP_COMPILED_WASM = "--no-flush-liftoff-code";

/** workerd warns of this when a later request than the one that started the compiler ends it. */
const OTHER_REQUEST = "resolved or rejected from a different request context";

/** Its configuration, in the folder of the process. */
const CONFIG = "bundler.capnp";

const V8_FLAGS = ["--initial-old-space-size=4", KEEP_COMPILED_WASM];

export type BundlerSettings = {
  variables: Record<string, string>;
  onLine: (line: LogLine) => void;
};

/**
 * The process of the bundler: a build computes without yielding, which must delay no event. It restarts whenever it
 * ends, until it is stopped.
 */
export class BundlerProcess {
  readonly #folder: string;
  readonly #ports: { own: number; platform: number };
  readonly #onLine: (line: LogLine) => void;
  /** The running process: another promise from the end of the former one on. */
  #running: Promise<Workerd>;
  #pid: number | undefined;
  #isStopped = false;

  private constructor(
    folder: string,
    ports: { own: number; platform: number },
    onLine: (line: LogLine) => void,
  ) {
    this.#folder = folder;
    this.#ports = ports;
    this.#onLine = onLine;
    this.#running = this.#launch();
  }

  /** Start the process; `build`: its Worker. Rejects if it does not start. */
  static async start(
    { dir, options }: Build,
    { variables, onLine }: BundlerSettings,
  ): Promise<BundlerProcess> {
    const folder = await mkdtemp(join(tmpdir(), "wellspring-bundler-"));
    // A restart needs them, also when another build has replaced this one.
    await cp(dir, join(folder, "modules"), { recursive: true });
    const ports = { own: await freePort(), platform: await freePort() };
    const text = await workerdConfig(join(folder, "modules"), {
      main: "bundler-worker.js",
      entrypoint: "Bundler",
      modules: "modules",
      port: ports.own,
      platformPort: ports.platform,
      bindings: [],
      variables,
      allowPrivate: variables["ALLOW_PRIVATE_TARGETS"] === "true",
      compatibility: {
        date: options.compatibilityDate ?? "",
        flags: options.compatibilityFlags ?? [],
      },
      v8Flags: V8_FLAGS,
    });
    // It contains the registry's token, and the name that opens RPC.
    await writeFile(join(folder, CONFIG), text, { mode: 0o600 });
    const bundler = new BundlerProcess(folder, ports, onLine);
    await bundler.#running;
    void bundler.#watchMemory();
    return bundler;
  }

  /** What the platform's Worker needs to call the bundler, and to end its process. */
  bindings(): Pick<V4WorkerOptions, "serviceBindings" | "unsafeDirectSockets"> {
    return {
      serviceBindings: {
        BUNDLER: { external: { address: `${INNER_HOST}:${this.#ports.own}`, http: {} } },
        BUNDLER_PROCESS: async ({ method, url }) =>
          method === "DELETE" ? this.#kill(Number(new URL(url).pathname.slice(1))) : this.#report(),
      },
      unsafeDirectSockets: [
        { host: INNER_HOST, port: this.#ports.platform, entrypoint: "BundlerHost" },
      ],
    };
  }

  /** Its process id; undefined while it restarts. */
  pid(): number | undefined {
    return this.#pid;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running.then((workerd) => workerd.kill()).catch(() => {});
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #report(): Promise<Response> {
    const { pid } = await this.#running;
    return Response.json({ pid, cpuMs: (await cpuTimeOf(pid)) ?? 0 } satisfies ProcessReport);
  }

  async #kill(pid: number): Promise<Response> {
    const workerd = await this.#running;
    if (workerd.pid === pid) workerd.kill();
    await workerd.ended;
    return new Response(null, { status: 204 });
  }

  async #launch(): Promise<Workerd> {
    const workerd = await startWorkerd(join(this.#folder, CONFIG), {
      niceness: NICENESS,
      onLine: (line) => {
        if (!line.message.includes(OTHER_REQUEST)) this.#onLine(line);
      },
    });
    this.#pid = workerd.pid;
    void this.#follow(workerd);
    return workerd;
  }

  async #follow(workerd: Workerd): Promise<void> {
    await workerd.ended;
    this.#pid = undefined;
    if (this.#isStopped) return;
    this.#onLine({ level: "warn", message: "The bundler's process ended: it is started anew" });
    this.#running = this.#relaunch();
  }

  async #relaunch(): Promise<Workerd> {
    for (;;) {
      try {
        return await this.#launch();
      } catch (error) {
        if (this.#isStopped) throw error;
        this.#onLine({ level: "error", message: String(error) });
        await wait(PAUSE_MS);
      }
    }
  }

  async #watchMemory(): Promise<void> {
    while (!this.#isStopped) {
      const workerd = await this.#running;
      if (((await memoryOf(workerd.pid)) ?? 0) > MAX_MEMORY_BYTES) workerd.kill();
      await wait(MEMORY_INTERVAL_MS, undefined, { ref: false });
    }
  }
}
