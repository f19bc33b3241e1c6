import { randomBytes } from "node:crypto";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

import type { V4WorkerOptions } from "miniflare";

import type { Lane } from "#sandbox/processes/contract.ts";

import type { Build } from "./build.ts";
import { freePort } from "./ports.ts";
import { sandboxConfig } from "./sandbox-config.ts";
import { SandboxRunner } from "./sandbox-process.ts";
import type { LogLine } from "./workerd.ts";

/** How often memory is looked at. */
const MEMORY_INTERVAL_MS = 500;

/** How often in a row a process may be found above its memory, though idle isolates ended, before it is replaced. */
const MAX_ABOVE = 6;

/** A process with so many times its memory is killed at once, before the machine runs out of it. */
const BURST = 4;

/** How long the calls of a process may take that is being replaced. */
const DRAIN_MS = 6 * 60 * 1000;

/** A process of quarantine that nobody used for so long ends. */
const IDLE_MS = 60_000;

/** How many sandbox processes there are, and how much each may hold. */
export type SandboxSettings = {
  count: number;
  memoryBytes: number;
  variables: Record<string, string>;
  version: string;
  onLine: (line: LogLine) => void;
};

type Service = NonNullable<V4WorkerOptions["serviceBindings"]>[string];

/** A place that owners' code is run at: one process, or two while one takes the other's place. */
type Place = { sides: [SandboxRunner, SandboxRunner]; side: 0 | 1; above: number };

/**
 * The processes that users' code runs in, each watched: one that is lost starts anew, and one that holds too much
 * memory ends idle isolates, or is replaced once its calls are over.
 */
export class Sandboxes {
  readonly #settings: SandboxSettings;
  readonly #folder: string;
  readonly #token: string;
  readonly #platformPort: number;
  readonly #ports: number[];
  readonly #places: Place[];
  readonly #lanes: Record<Lane, { runner: SandboxRunner; usedMs: number }>;
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
    this.#places = Array.from({ length: settings.count }, (_, place) => ({
      sides: [this.#runner(2 * place, true), this.#runner(2 * place + 1, true)],
      side: 0,
      above: 0,
    }));
    const lane = (index: number) => ({
      runner: this.#runner(2 * settings.count + index, false),
      usedMs: 0,
    });
    this.#lanes = { trial: lane(0), confined: lane(1) };
  }

  /** Start the processes; `build`: what runs in them. Rejects where one does not start. */
  static async start(build: Build, settings: SandboxSettings): Promise<Sandboxes> {
    const folder = await mkdtemp(join(tmpdir(), "wellspring-sandboxes-"));
    // A process that starts anew needs them, also when another build has replaced this one.
    await cp(build.dir, join(folder, "modules"), { recursive: true });
    const ports: number[] = [];
    for (let index = 0; index < 2 * settings.count + 2; index += 1) ports.push(await freePort());
    const platformPort = await freePort();
    const token = randomBytes(32).toString("base64url");
    const sandboxes = new Sandboxes(settings, { folder, token, platformPort, ports });
    for (const [index, port] of ports.entries()) await sandboxes.#writeConfig(build, index, port);
    await Promise.all(sandboxes.#places.map(({ sides: [first] }) => first.start()));
    void sandboxes.#watchMemory();
    return sandboxes;
  }

  /** What the platform's Worker has to be bound to, to run code in the processes. */
  bindings(): Pick<V4WorkerOptions, "bindings" | "serviceBindings" | "unsafeDirectSockets"> {
    const at = (index: number): Service => ({
      external: { address: `127.0.0.1:${this.#ports[index]}`, http: {} },
    });
    const places = this.#places.flatMap((_, place) => [
      [`SANDBOX_${place}_0`, at(2 * place)],
      [`SANDBOX_${place}_1`, at(2 * place + 1)],
    ]);
    const { count } = this.#settings;
    return {
      bindings: { SANDBOXES: String(count), SANDBOX_TOKEN: this.#token },
      serviceBindings: {
        ...Object.fromEntries(places),
        QUARANTINE_trial: at(2 * count),
        QUARANTINE_confined: at(2 * count + 1),
        SUPERVISOR: (request) => this.#obey(new URL(request.url).pathname),
      },
      unsafeDirectSockets: [
        { host: "127.0.0.1", port: this.#platformPort, entrypoint: "SandboxHost" },
      ],
    };
  }

  /** End all processes. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const { sides } of this.#places) for (const runner of sides) runner.stop();
    for (const { runner } of Object.values(this.#lanes)) runner.stop();
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
        // At this date it is the default, and workerd warns of who says so.
        flags: (options.compatibilityFlags ?? []).filter((flag) => flag !== "nodejs_compat"),
      },
    });
    // It holds what the platform goes by to believe a process.
    await writeFile(this.#configFile(index), text, { mode: 0o600 });
  }

  #configFile(index: number): string {
    return join(this.#folder, `${index}.capnp`);
  }

  #runner(index: number, isWatched: boolean): SandboxRunner {
    const { onLine } = this.#settings;
    return new SandboxRunner({
      config: this.#configFile(index),
      port: this.#ports[index] ?? 0,
      token: this.#token,
      isWatched,
      onLine,
      onLost: (reason) =>
        onLine({ level: "warn", message: `A sandbox process ${reason}: it is started anew` }),
    });
  }

  /** What the platform asks for: a process of quarantine, or its end. */
  async #obey(path: string): Promise<Response> {
    const [verb, name] = path.slice(1).split("/");
    const lane = name === "trial" || name === "confined" ? this.#lanes[name] : undefined;
    if (!lane) return new Response(null, { status: 404 });
    lane.usedMs = Date.now();
    if (verb === "kill") lane.runner.kill();
    else await lane.runner.start();
    return new Response(null, { status: 204 });
  }

  async #watchMemory(): Promise<void> {
    while (!this.#isStopped) {
      await wait(MEMORY_INTERVAL_MS, undefined, { ref: false });
      for (const [index, place] of this.#places.entries()) await this.#lookAfter(index, place);
      for (const { runner, usedMs } of Object.values(this.#lanes))
        await this.#endIdle(runner, usedMs);
    }
  }

  async #lookAfter(index: number, place: Place): Promise<void> {
    const runner = place.sides[place.side];
    const memory = (await runner.memory()) ?? 0;
    const limit = this.#settings.memoryBytes;
    if (memory > BURST * limit) return runner.kill();
    place.above = memory > limit ? place.above + 1 : 0;
    if (place.above === 0) return;
    if (place.above > MAX_ABOVE) return this.#replace(index, place);
    // Half of them each time: those that are used again are used soon.
    await runner.trim(Math.floor(runner.status().isolates / 2)).catch(() => {});
  }

  /** Have another process take a place, and end the one that had it once its calls are over. */
  async #replace(index: number, place: Place): Promise<void> {
    const other = place.side === 0 ? 1 : 0;
    const [old, next] = [place.sides[place.side], place.sides[other]];
    // The one before is still at its last calls.
    if (next.isRunning()) return;
    await next.start();
    await this.#route(index, other);
    place.side = other;
    place.above = 0;
    void this.#drain(old);
  }

  async #drain(runner: SandboxRunner): Promise<void> {
    const untilMs = Date.now() + DRAIN_MS;
    do await wait(1000, undefined, { ref: false });
    while (runner.status().calls > 0 && Date.now() < untilMs);
    runner.stop();
  }

  async #route(place: number, side: 0 | 1): Promise<void> {
    const response = await fetch(`http://127.0.0.1:${this.#platformPort}/${place}/${side}`, {
      method: "PUT",
      headers: { authorization: `Bearer ${this.#token}` },
    });
    if (!response.ok) throw new Error(`The platform answered ${response.status}`);
  }

  async #endIdle(runner: SandboxRunner, usedMs: number): Promise<void> {
    if (!runner.isRunning()) return;
    const memory = (await runner.memory()) ?? 0;
    if (memory > BURST * this.#settings.memoryBytes) runner.kill();
    else if (Date.now() - usedMs > IDLE_MS) runner.stop();
  }
}
