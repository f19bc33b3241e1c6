import { Agent, type IncomingMessage, request } from "node:http";
import { setTimeout as wait } from "node:timers/promises";

import type { SandboxStatus } from "#sandbox/processes/contract.ts";

import { type LogLine, memoryOf, startWorkerd, type Workerd } from "./workerd.ts";

/** How often a process is asked whether its code yields. */
const ASK_INTERVAL_MS = 250;

/** A process that does not answer for so long is killed. */
const SILENCE_MS = 2000;

/** How long a process that ended as it started is left alone. */
const PAUSE_MS = 1000;

/** How a sandbox process is run. */
export type SandboxOptions = {
  /** Its configuration file. */
  config: string;
  port: number;
  token: string;
  /** Whether it is killed where it does not answer; else the platform judges. */
  isWatched: boolean;
  onLine: (line: LogLine) => void;
  /** Told of each end that nobody asked for. */
  onLost: (reason: string) => void;
};

/** One sandbox process: started anew whenever it ends, until it is stopped. */
export class SandboxRunner {
  readonly #options: SandboxOptions;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #workerd: Workerd | undefined;
  #starting: Promise<void> | undefined;
  #isStopped = true;
  #status: SandboxStatus = { calls: 0, isolates: 0 };

  constructor(options: SandboxOptions) {
    this.#options = options;
  }

  /** Have the process run. Resolves when it listens; rejects where it does not start. */
  async start(): Promise<void> {
    this.#isStopped = false;
    if (!this.#workerd) await (this.#starting ??= this.#launch());
  }

  /** End the process; it is not started again. */
  stop(): void {
    this.#isStopped = true;
    this.kill();
    this.#agent.destroy();
  }

  /** End the process, which is started again. */
  kill(): void {
    this.#workerd?.kill();
  }

  isRunning(): boolean {
    return this.#workerd !== undefined;
  }

  /** What it last told of itself. */
  status(): SandboxStatus {
    return this.#status;
  }

  /** Bytes of memory that it holds; undefined where that is unknown. */
  async memory(): Promise<number | undefined> {
    return this.#workerd && memoryOf(this.#workerd.pid);
  }

  /** Have isolates end that are idle, but for so many. */
  async trim(keep: number): Promise<void> {
    await this.#send("DELETE", `/?keep=${keep}`, SILENCE_MS);
  }

  async #launch(): Promise<void> {
    try {
      this.#workerd = await startWorkerd(this.#options.config, this.#options.onLine);
      void this.#follow(this.#workerd);
      if (this.#options.isWatched) void this.#watch(this.#workerd);
    } finally {
      this.#starting = undefined;
    }
  }

  async #follow(workerd: Workerd): Promise<void> {
    await workerd.ended;
    this.#workerd = undefined;
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
      const askedMs = performance.now();
      const answer = await this.#send("GET", "/", SILENCE_MS).catch(() => undefined);
      if (this.#workerd !== workerd) break;
      if (answer) this.#status = answer;
      // This process may have been held up itself: then nothing is known.
      else if (performance.now() - askedMs < 2 * SILENCE_MS) {
        this.#options.onLost("did not yield");
        return workerd.kill();
      }
      await wait(ASK_INTERVAL_MS);
    }
    if (!this.#isStopped) this.#options.onLost("died");
  }

  async #send(method: string, path: string, timeout: number): Promise<SandboxStatus> {
    const { port, token } = this.#options;
    const headers = { authorization: `Bearer ${token}` };
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const sent = request({ port, host: "127.0.0.1", method, path, headers, agent: this.#agent });
    sent.setTimeout(timeout, () => sent.destroy(new Error("The process does not answer")));
    sent.on("response", resolve).on("error", reject).end();
    let text = "";
    for await (const part of await promise) text += String(part);
    return JSON.parse(text);
  }
}
