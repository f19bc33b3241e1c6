import { Agent, type IncomingMessage, request } from "node:http";
import { setTimeout as wait } from "node:timers/promises";

import { Silence } from "#domain/silence.ts";
import type { LossReason, SandboxStatus } from "#sandbox/processes/contract.ts";
import type { ProcessFigure } from "#telemetry/sandbox-metrics.ts";

import { INNER_HOST } from "./inner-host.ts";
import { cpuTimeOf, memoryOf } from "./process-usage.ts";
import { isLoss, lossBy, type StopReason } from "./sandbox-ends.ts";
import { type LogLine, startWorkerd, type Workerd } from "./workerd.ts";

/** The interval of checks that a process' code yields. */
const ASK_INTERVAL_MS = 250;

/** A process that does not respond for this long is killed. */
const SILENCE_MS = 2000;

/** The interval of checks for a response. */
const LOOK_MS = 100;

/** The timeout of the other requests to a process. */
const ANSWER_MS = 2000;

/** The pause after a process that ended during its start. */
const PAUSE_MS = 1000;

/** The options of a sandbox process. */
export type SandboxOptions = {
  /** Its configuration file. */
  config: string;
  port: number;
  token: string;
  /** Whether it is killed if it does not respond, and restarted when it ends; otherwise the platform decides. */
  isWatched: boolean;
  /** Added to the niceness of this process: the higher, the more CPU time is left for others. */
  niceness: number;
  onLine: (line: LogLine) => void;
  /** Called for each unexpected end. */
  onLost: (reason: LossReason) => void;
};

/** The timeout for the end of a process with which the connection was lost. */
const LOSS_MS = 1000;

const IDLE: SandboxStatus = { calls: 0, isolates: 0 };

/** One sandbox process: restarted whenever it ends, until it is stopped. */
export class SandboxRunner {
  readonly #options: SandboxOptions;
  // The response to a trim must not delay that to a ping.
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #workerd: Workerd | undefined;
  #starting: Promise<void> | undefined;
  #isStopped = true;
  /** The reason for the process' end, once it is killed. */
  #ending: LossReason | StopReason | undefined;
  #status = IDLE;
  #starts = 0;
  readonly #ends: Record<string, number> = {};
  /** The number and the reason of the last unexpected end. */
  #loss: { process: number; reason: LossReason } | undefined;

  constructor(options: SandboxOptions) {
    this.#options = options;
  }

  /**
   * Start the process. Resolves when it listens, to its number, in the order of starts; rejects if it does not start.
   */
  async start(): Promise<number> {
    this.#isStopped = false;
    // A killed process counts as running until it has exited.
    if (this.#ending) await this.#workerd?.ended;
    if (!this.#workerd) await (this.#starting ??= this.#launch());
    if (!this.#workerd) throw new Error("A sandbox process ended at its start");
    return this.#starts;
  }

  /** End the process; it is not restarted. */
  stop(reason: StopReason): void {
    this.retire();
    this.#end(reason);
    this.#agent.destroy();
  }

  /** Do not restart the process after its end. */
  retire(): void {
    this.#isStopped = true;
  }

  /** End the process, which is restarted. */
  kill(reason: LossReason): void {
    this.#end(reason);
  }

  isRunning(): boolean {
    return this.#workerd !== undefined || this.#starting !== undefined;
  }

  /** Whether the process of this number runs now. */
  runs(process: number): boolean {
    return this.#workerd !== undefined && process === this.#starts;
  }

  /** Its figures, with those of its predecessors. */
  async figures(): Promise<Omit<ProcessFigure, "name">> {
    const status = this.#options.isWatched ? this.#status : await this.status();
    return {
      ...(status ?? IDLE),
      memoryBytes: (await this.memory()) ?? 0,
      starts: this.#starts,
      ends: this.#ends,
    };
  }

  /** Its current report; undefined if it does not respond. */
  async status(): Promise<SandboxStatus | undefined> {
    if (!this.#workerd) return undefined;
    const answer = this.#send("GET", "/", { signal: AbortSignal.timeout(ANSWER_MS) });
    return answer.catch(() => undefined);
  }

  /** Bytes of its memory; undefined if unknown. */
  async memory(): Promise<number | undefined> {
    return this.#workerd && memoryOf(this.#workerd.pid);
  }

  /** Milliseconds of its CPU time; undefined if unknown. */
  async cpuTime(): Promise<number | undefined> {
    return this.#workerd && cpuTimeOf(this.#workerd.pid);
  }

  /** The reason for the unexpected end of a process, awaited if it is about to end; undefined: unknown. */
  async loss(process: number): Promise<LossReason | undefined> {
    if (this.runs(process)) await Promise.race([this.#workerd?.ended, wait(LOSS_MS)]);
    return this.#loss?.process === process ? this.#loss.reason : undefined;
  }

  /** End idle isolates, except for this many. */
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
      const workerd = await startWorkerd(this.#options.config, this.#options);
      if (this.#isStopped) {
        workerd.kill();
        return void (await workerd.ended);
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
    const signal = await workerd.ended;
    this.#record(this.#ending ?? lossBy(signal));
    while (!this.#isStopped && this.#options.isWatched) {
      try {
        return void (await this.start());
      } catch (error) {
        this.#options.onLine({ level: "error", message: String(error) });
        await wait(PAUSE_MS);
      }
    }
  }

  /** Record the end of the process. */
  #record(ending: LossReason | StopReason): void {
    this.#workerd = undefined;
    this.#ending = undefined;
    this.#status = IDLE;
    this.#ends[ending] = (this.#ends[ending] ?? 0) + 1;
    if (!isLoss(ending)) return;
    this.#loss = { process: this.#starts, reason: ending };
    this.#options.onLost(ending);
  }

  /** Kill the process when it does not respond in time. */
  async #watch(workerd: Workerd): Promise<void> {
    while (this.#workerd === workerd) {
      const silence = new Silence(performance.now(), LOOK_MS);
      while (this.#workerd === workerd && !(await this.#answers(silence)))
        if (silence.look(performance.now()) >= SILENCE_MS) return this.kill("silent");
      await wait(ASK_INTERVAL_MS);
    }
  }

  /** Whether the process responds in time. */
  async #answers(silence: Silence): Promise<boolean> {
    const end = new AbortController();
    const sent = this.#send("GET", "/", { agent: this.#agent, signal: end.signal });
    const answer = sent.then(
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
        // A broken connection shows nothing about the process: it is queried again.
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
    const sent = request({ port, host: INNER_HOST, method, path, headers, ...how });
    sent.on("response", resolve).on("error", reject).end();
    let text = "";
    for await (const part of await promise) text += String(part);
    return JSON.parse(text);
  }
}
