import { AsyncLocalStorage } from "node:async_hooks";

import type { Lane, SandboxProcess } from "#sandbox/processes/contract.ts";
import { Quarantine } from "#sandbox/processes/quarantine.ts";

/** A source of random numbers below 1, the same for each seed (mulberry32). */
export function randomBy(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const LOST = () => Object.assign(new Error("Network connection lost."), { retryable: true });

const never = () => new Promise<never>(() => {});

/** What code does: it ends after a time, loops after a time, or its connection reports nothing any more. */
export type Behaviour = { kind: "ends" | "loops" | "hangs"; afterMs: number };

/** A caller, which may end without notice: nothing that it waits for goes on then. */
type Caller = { isGone: boolean };

const callers = new AsyncLocalStorage<Caller>();

/** Wait for a promise as the current caller, which may be gone by then. */
export async function asCaller<T>(promise: Promise<T>): Promise<T> {
  const caller = callers.getStore();
  try {
    return await promise;
  } finally {
    if (caller?.isGone) await never();
  }
}

/** Do some work as a caller. */
export function runAs<T>(caller: Caller, work: () => Promise<T>): Promise<T> {
  return callers.run(caller, work);
}

type Running = { number: number; isBlocked: boolean; calls: Set<(reason: Error) => void> };

/** The process of a lane, and its supervisor, which fail at random. */
export class LaneModel {
  readonly #lane: Lane;
  readonly #random: () => number;
  #running: Running | undefined;
  #starts = 0;
  /** Whether nothing fails any more. */
  isSound = false;
  /** The numbers of the processes that the platform killed. */
  readonly killed = new Set<number>();
  /** Calls that began in a process that was killed before. */
  late = 0;

  constructor(lane: Lane, random: () => number) {
    this.#lane = lane;
    this.#random = random;
  }

  room() {
    const process = { ping: () => asCaller(this.#ping()) } as unknown as SandboxProcess;
    const supervisor = {
      start: () => this.#served(() => this.#start()),
      kill: (_: Lane, number: number) => this.#served(() => this.#kill(number)),
      cpuTime: (_: Lane, number: number) =>
        this.#served(() => (this.#running?.number === number ? Date.now() : ("ended" as const))),
      lossOf: () => this.#served(() => (this.#fails(0.5) ? ("killed" as const) : undefined)),
      confine: async () => {},
      figures: async () => ({ processes: [] }),
    };
    return { lane: this.#lane, process, supervisor };
  }

  /** Run code in the process. */
  call({ kind, afterMs }: Behaviour): Promise<string> {
    const running = this.#running;
    if (!running) return asCaller(Promise.reject(LOST()));
    if (this.killed.has(running.number)) this.late += 1;
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    running.calls.add(reject);
    setTimeout(() => {
      if (kind === "ends" && !running.isBlocked) resolve("done");
      if (kind === "loops") running.isBlocked = true;
    }, afterMs);
    return asCaller(promise);
  }

  /** End the process. A connection may not report that. */
  lose(): void {
    const running = this.#running;
    this.#running = undefined;
    for (const reject of running?.calls ?? []) if (!this.#fails(0.3)) reject(LOST());
  }

  #fails(share: number): boolean {
    return !this.isSound && this.#random() < share;
  }

  #start(): number {
    if (!this.#running) {
      this.#starts += 1;
      this.#running = { number: this.#starts, isBlocked: false, calls: new Set() };
    }
    return this.#running.number;
  }

  #kill(number: number): void {
    this.killed.add(number);
    if (this.#running?.number === number) this.lose();
  }

  async #ping(): Promise<void> {
    const running = this.#running;
    if (!running) throw LOST();
    if (running.isBlocked) await never();
  }

  /** A request to the supervisor, which may fail or get no response. */
  #served<T>(answer: () => T): Promise<T> {
    if (this.#fails(0.01)) return never();
    if (this.#fails(0.05)) return asCaller(Promise.reject(new Error("The supervisor failed")));
    return asCaller(Promise.resolve().then(answer));
  }
}

/** A quarantine that confines code as it is told. */
export function confining() {
  const confined = new Set<string>();
  const quarantine = new Quarantine({
    confine: (key) => void confined.add(key),
    isConfined: (key) => confined.has(key),
  });
  return { confined, quarantine };
}
