import { Agent, type IncomingMessage, request } from "node:http";
import { setTimeout as wait } from "node:timers/promises";

import { Silence } from "#domain/silence.ts";
import type { SandboxStatus } from "#sandbox/processes/contract.ts";
import type { ProcessFigure } from "#telemetry/sandbox-metrics.ts";

import { type LogLine, memoryOf, startWorkerd, type Workerd } from "./workerd.ts";

/** How often a process is asked whether its code yields. */
const ASK_INTERVAL_MS = 250;

/** A process that does not respond for so long is killed. */
const SILENCE_MS = 2000;

/** How often an answer is looked for. */
const LOOK_MS = 100;

/** How long the other requests of a process may take. */
const ANSWER_MS = 2000;

/** How long a process that ended as it started is left alone. */
const PAUSE_MS = 1000;

/**
 * Why a process ended that nobody stopped. `silent`: it was killed because it did not respond; `memory`: because it held
 * too much; `blocked`: the platform had it killed for the code in it; `died`: by itself.
 */
export type LossReason = "silent" | "memory" | "blocked" | "died";

/** Why a process is stopped: another one replaced it, nobody used it, or the platform ends. */
type StopReason = "replaced" | "idle" | "stopped";

/** How a sandbox process is run. */
export type SandboxOptions = {
  /** Its configuration file. */
  config: string;
  port: number;
  token: string;
  /** Whether it is killed where it does not answer, and started anew where it ends; else the platform judges. */
  isWatched: boolean;
  onLine: (line: LogLine) => void;
  /** Called for each end that nobody asked for. */
  onLost: (reason: LossReason) => void;
};

const LOSSES: ReadonlySet<string> = new Set<LossReason>(["silent", "memory", "blocked", "died"]);

const IDLE: SandboxStatus = { calls: 0, isolates: 0 };

/** One sandbox process: started anew whenever it ends, until it is stopped. */
export class SandboxRunner {
  readonly #options: SandboxOptions;
  // An answer to a trim must not hold up that of a ping.
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #workerd: Workerd | undefined;
  #starting: Promise<void> | undefined;
  #isStopped = true;
  /** Why the process is about to end, once it is killed. */
  #ending: LossReason | StopReason | undefined;
  #status = IDLE;
  #starts = 0;
  readonly #ends: Record<string, number> = {};

  constructor(options: SandboxOptions) {
    this.#options = options;
  }

  /** Have the process run. Resolves when it listens; rejects where it does not start. */
  async start(): Promise<void> {
    this.#isStopped = false;
    // One that was killed still counts as running until it is gone.
    if (this.#ending) await this.#workerd?.ended;
    if (!this.#workerd) await (this.#starting ??= this.#launch());
  }

  /** End the process; it is not started again. */
  stop(reason: StopReason): void {
    this.retire();
    this.#end(reason);
    this.#agent.destroy();
  }

  /** Not start the process again once it has ended. */
  retire(): void {
    this.#isStopped = true;
  }

  /** End the process, which is started again. */
  kill(reason: LossReason): void {
    this.#end(reason);
  }

  isRunning(): boolean {
    return this.#workerd !== undefined || this.#starting !== undefined;
  }

  /** The figures of it, and of its predecessors. */
  async figures(): Promise<Omit<ProcessFigure, "name">> {
    const status = this.#options.isWatched ? this.#status : await this.ask();
    return {
      ...(status ?? IDLE),
      memoryBytes: (await this.memory()) ?? 0,
      starts: this.#starts,
      ends: this.#ends,
    };
  }

  /** Its current report; undefined if it does not respond. */
  async ask(): Promise<SandboxStatus | undefined> {
    if (!this.#workerd) return undefined;
    const answer = this.#send("GET", "/", { signal: AbortSignal.timeout(ANSWER_MS) });
    return answer.catch(() => undefined);
  }

  /** Bytes of memory that it holds; undefined where that is unknown. */
  async memory(): Promise<number | undefined> {
    return this.#workerd && memoryOf(this.#workerd.pid);
  }

  /** Have isolates end that are idle, but for so many. */
  async trim(keep: number): Promise<void> {
    await this.#send("DELETE", `/?keep=${keep}`, { signal: AbortSignal.timeout(ANSWER_MS) });
  }

  #end(reason: LossReason | StopReason): void {
    if (!this.#workerd) return;
    this.#ending ??= reason;
    this.#workerd.kill();
  }

  async #launch(): Promise<void> {
    try {
      const workerd = await startWorkerd(this.#options.config, this.#options.onLine);
      if (this.#isStopped) {
        workerd.kill();
        return await workerd.ended;
      }
      this.#workerd = workerd;
      this.#status = IDLE;
      this.#starts += 1;
      void this.#follow(workerd);
      if (this.#options.isWatched) void this.#watch(workerd);
    } finally {
      this.#starting = undefined;
    }
  }

  async #follow(workerd: Workerd): Promise<void> {
    await workerd.ended;
    const ending = this.#ending ?? "died";
    this.#workerd = undefined;
    this.#ending = undefined;
    this.#status = IDLE;
    this.#ends[ending] = (this.#ends[ending] ?? 0) + 1;
    if (isLoss(ending)) this.#options.onLost(ending);
    while (!this.#isStopped && this.#options.isWatched) {
      try {
        return await this.start();
      } catch (error) {
        this.#options.onLine({ level: "error", message: String(error) });
        await wait(PAUSE_MS);
      }
    }
  }

  /** Kill the process when it holds up what it is asked. */
  async #watch(workerd: Workerd): Promise<void> {
    while (this.#workerd === workerd) {
      const silence = new Silence(performance.now(), LOOK_MS);
      while (this.#workerd === workerd && !(await this.#answers(silence)))
        if (silence.look(performance.now()) >= SILENCE_MS) return this.kill("silent");
      await wait(ASK_INTERVAL_MS);
    }
  }

  /** Whether the process answers before its silence is too long. */
  async #answers(silence: Silence): Promise<boolean> {
    const end = new AbortController();
    const asking = this.#send("GET", "/", { agent: this.#agent, signal: end.signal });
    const answer = asking.then(
      (status) => {
        this.#status = status;
        return true;
      },
      () => false,
    );
    try {
      for (;;) {
        const answers = await Promise.race([answer, wait(LOOK_MS, undefined)]);
        if (answers === true) return true;
        // A connection that broke says nothing of the process: it is asked again.
        if (answers === false) await wait(LOOK_MS);
        if (answers === false || silence.look(performance.now()) >= SILENCE_MS) return false;
      }
    } finally {
      end.abort();
    }
  }

  async #send(
    method: string,
    path: string,
    how: { agent?: Agent; signal: AbortSignal },
  ): Promise<SandboxStatus> {
    const { port, token } = this.#options;
    const headers = { authorization: `Bearer ${token}` };
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const sent = request({ port, host: "127.0.0.1", method, path, headers, ...how });
    sent.on("response", resolve).on("error", reject).end();
    let text = "";
    for await (const part of await promise) text += String(part);
    return JSON.parse(text);
  }
}

function isLoss(ending: LossReason | StopReason): ending is LossReason {
  return LOSSES.has(ending);
}
