import { randomBytes } from "node:crypto";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

import type { V4WorkerOptions } from "miniflare";

import type { Lane, LossReason } from "#sandbox/processes/contract.ts";
import type { ProcessFigures } from "#telemetry/sandbox-metrics.ts";

import type { Build } from "./build.ts";
import type { ConfinedCode } from "./confined.ts";
import { INNER_HOST } from "./inner-host.ts";
import { freePort } from "./ports.ts";
import { sandboxConfig } from "./sandbox-config.ts";
import { SandboxLane, SandboxPlace } from "./sandbox-places.ts";
import { SandboxRunner } from "./sandbox-process.ts";
import type { LogLine } from "./workerd.ts";

/**
 * The niceness of processes in quarantine, because code there may compute for long, which must not slow down the rest. Most
 * code on trial is innocent: beside a busy process it gets a tenth of a core, code that was found to be a cause a sixtieth.
 */
const TRIAL_NICENESS = 10;
const CONFINED_NICENESS = 19;

/** The interval of memory checks, … */
const MEMORY_INTERVAL_MS = 500;

/** … and in quarantine, where code may allocate as fast as it can. */
const QUARANTINE_INTERVAL_MS = 200;

/** The timeout for the platform to use another process. */
const ROUTE_MS = 5000;

/** The number of sandbox processes, and the memory limit of each. */
export type SandboxSettings = {
  count: number;
  memoryBytes: number;
  confined: ConfinedCode;
  variables: Record<string, string>;
  version: string;
  onLine: (line: LogLine) => void;
};

/** The log message of each. */
const LOSSES: Record<LossReason, string> = {
  silent: "did not yield",
  memory: "exceeded its memory limit",
  blocked: "was killed for code that did not yield",
  killed: "was killed from outside",
  died: "died",
};

type Service = NonNullable<V4WorkerOptions["serviceBindings"]>[string];

/**
 * The processes that run users' code, each watched: a lost one restarts, and one above its memory limit ends idle
 * isolates, or is replaced once its calls are over.
 */
export class Sandboxes {
  readonly #settings: SandboxSettings;
  readonly #folder: string;
  readonly #token: string;
  readonly #platformPort: number;
  readonly #ports: number[];
  readonly #places: SandboxPlace[];
  readonly #lanes: Record<Lane, SandboxLane>;
  #isStopped = false;

  private constructor(
    settings: SandboxSettings,
    made: { folder: string; token: string; platformPort: number; ports: number[] },
  ) {
    this.#settings = settings;
    this.#folder = made.folder;
    this.#token = made.token;
    this.#platformPort = made.platformPort;
    this.#ports = made.ports;
    const { count, memoryBytes } = settings;
    this.#places = Array.from({ length: count }, (_, place) => {
      const sides = [this.#runner(2 * place), this.#runner(2 * place + 1)] as const;
      return new SandboxPlace(sides, memoryBytes, (side) => this.#route(place, side));
    });
    const lane = (index: number, niceness: number) =>
      new SandboxLane(this.#runner(2 * count + index, niceness), memoryBytes);
    this.#lanes = { trial: lane(0, TRIAL_NICENESS), confined: lane(1, CONFINED_NICENESS) };
  }

  /** Start the processes; `build`: their Worker. Rejects if one does not start. */
  static async start(build: Build, settings: SandboxSettings): Promise<Sandboxes> {
    const folder = await mkdtemp(join(tmpdir(), "wellspring-sandboxes-"));
    // A restarting process needs them, also when another build has replaced this one.
    await cp(build.dir, join(folder, "modules"), { recursive: true });
    const ports: number[] = [];
    for (let index = 0; index < 2 * settings.count + 2; index += 1) ports.push(await freePort());
    const platformPort = await freePort();
    const token = randomBytes(32).toString("base64url");
    const sandboxes = new Sandboxes(settings, { folder, token, platformPort, ports });
    for (const [index, port] of ports.entries()) await sandboxes.#writeConfig(build, index, port);
    await Promise.all(sandboxes.#places.map((place) => place.start()));
    sandboxes.#watchMemory();
    return sandboxes;
  }

  /** The bindings that the platform's Worker needs to run code in the processes. */
  bindings(): Pick<V4WorkerOptions, "bindings" | "serviceBindings" | "unsafeDirectSockets"> {
    const at = (index: number): Service => ({
      external: { address: `${INNER_HOST}:${this.#ports[index]}`, http: {} },
    });
    const places = this.#places.flatMap((_, place) => [
      [`SANDBOX_${place}_0`, at(2 * place)],
      [`SANDBOX_${place}_1`, at(2 * place + 1)],
    ]);
    const { count } = this.#settings;
    return {
      bindings: {
        SANDBOXES: String(count),
        SANDBOX_TOKEN: this.#token,
        CONFINED: JSON.stringify(this.#settings.confined.entries()),
      },
      serviceBindings: {
        ...Object.fromEntries(places),
        QUARANTINE_trial: at(2 * count),
        QUARANTINE_confined: at(2 * count + 1),
        SUPERVISOR: (request) => this.#answer(new URL(request.url).pathname),
      },
      unsafeDirectSockets: [
        { host: INNER_HOST, port: this.#platformPort, entrypoint: "SandboxHost" },
      ],
    };
  }

  /** End all processes. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const kept of this.#kept()) kept.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #writeConfig({ options }: Build, index: number, port: number): Promise<void> {
    const { variables, version } = this.#settings;
    const text = await sandboxConfig(join(this.#folder, "modules"), {
      modules: "modules",
      port,
      platformPort: this.#platformPort,
      variables: { ...variables, SANDBOX_TOKEN: this.#token },
      version,
      allowPrivate: variables["ALLOW_PRIVATE_TARGETS"] === "true",
      compatibility: {
        date: options.compatibilityDate ?? "",
        flags: options.compatibilityFlags ?? [],
      },
    });
    // It contains the secret that authenticates a process to the platform.
    await writeFile(this.#configFile(index), text, { mode: 0o600 });
  }

  #configFile(index: number): string {
    return join(this.#folder, `${index}.capnp`);
  }

  /** A process of a place, or of a lane with a niceness. */
  #runner(index: number, niceness?: number): SandboxRunner {
    const { onLine } = this.#settings;
    const isWatched = niceness === undefined;
    return new SandboxRunner({
      config: this.#configFile(index),
      port: this.#ports[index] ?? 0,
      token: this.#token,
      isWatched,
      niceness: niceness ?? 0,
      onLine,
      onLost: (reason) => {
        const message = `A sandbox process ${LOSSES[reason]}${isWatched ? ": it is started anew" : ""}`;
        onLine({ level: "warn", message });
      },
    });
  }

  /** Answer the platform: 503 if its request fails. */
  async #answer(path: string): Promise<Response> {
    const [verb, name = "", process] = path.slice(1).split("/").map(decodeURIComponent);
    try {
      if (verb === "figures") return Response.json(await this.#figures());
      if (verb === "confine") await this.#settings.confined.confine(name);
      else if (name === "trial" || name === "confined")
        return await this.#serveLane(verb, name, Number(process));
      else return new Response(null, { status: 404 });
      return new Response(null, { status: 204 });
    } catch (error) {
      this.#settings.onLine({ level: "error", message: String(error) });
      return new Response(null, { status: 503 });
    }
  }

  async #serveLane(verb: string | undefined, name: Lane, process: number): Promise<Response> {
    const lane = this.#lanes[name];
    if (verb === "start") return Response.json(await lane.start());
    if (verb === "cpu") return Response.json((await lane.cpuTime(process)) ?? null);
    if (verb === "loss") return Response.json((await lane.loss(process)) ?? null);
    lane.kill(process);
    return new Response(null, { status: 204 });
  }

  async #figures(): Promise<ProcessFigures> {
    const places = this.#places.map((place, index) => place.figure(String(index)));
    const lanes = Object.entries(this.#lanes).map(([name, lane]) => lane.figure(name));
    return { processes: await Promise.all([...places, ...lanes]) };
  }

  #kept(): (SandboxPlace | SandboxLane)[] {
    return [...this.#places, ...Object.values(this.#lanes)];
  }

  #watchMemory(): void {
    for (const place of this.#places)
      void this.#repeat(MEMORY_INTERVAL_MS, () => place.lookAfter());
    for (const lane of Object.values(this.#lanes))
      void this.#repeat(QUARANTINE_INTERVAL_MS, () => lane.lookAfter());
  }

  /** Repeat a check, also after a failed one. */
  async #repeat(intervalMs: number, look: () => Promise<void>): Promise<void> {
    while (!this.#isStopped) {
      await wait(intervalMs, undefined, { ref: false });
      try {
        await look();
      } catch (error) {
        this.#settings.onLine({ level: "error", message: String(error) });
      }
    }
  }

  async #route(place: number, side: 0 | 1): Promise<void> {
    const response = await fetch(`http://${INNER_HOST}:${this.#platformPort}/${place}/${side}`, {
      method: "PUT",
      headers: { authorization: `Bearer ${this.#token}` },
      signal: AbortSignal.timeout(ROUTE_MS),
    });
    if (!response.ok) throw new Error(`The platform returned ${response.status}`);
  }
}
