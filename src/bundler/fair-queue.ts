/** Maximum waiting callers of a client: more would only age in the queue. */
const MAX_WAITING = 32;

/** Timeout for a caller to start its turn: a cancelled one never does. */
const START_MS = 2000;

/** Time beyond its limit until a turn is revoked: the work settles by itself first. */
const GRACE_MS = 2000;

/** A client with a longer turn waits while others may need a second turn. */
const LONG_TURN_MS = 2000;

/** Maximum time until a client requests its second turn: a deploy takes two. */
const RETURN_MS = 3000;

/** After a longer turn, all callers that wait by then pause. */
const BLOCKING_TURN_MS = 1000;

/** Duration of that pause: a new request takes its first steps meanwhile. */
const BREATH_MS = 250;

/** The time, epoch milliseconds, and a wait for some of it. */
type Clock = { now: () => number; wait: (ms: number) => Promise<void> };

const REAL_TIME: Clock = { now: () => Date.now(), wait: (ms) => scheduler.wait(ms) };

/** A client has too many callers in the queue already. */
export class QueueFull extends Error {
  override readonly name = "QueueFull";
}

type Turn = { client: string; untilMs: number; startedMs?: number };
/** `wake`: lets the caller check again for its turn, and the time to wait. */
type Waiting = { turn: Turn; wake: () => void };

/**
 * Lets one caller work at a time, and serves clients in rotation: one client's backlog delays each other client by one
 * turn at most. After a long turn a client pauses for up to as long as that turn took, if others had a short turn
 * within the last seconds: a client with two short turns waits for one long turn, not for two. A caller with a
 * cancelled request loses its turn when its time is over.
 *
 * A build blocks the thread of its process: between two long turns requests arrive, which would never reach this queue
 * while one client's builds follow each other.
 */
export class FairQueue {
  readonly #clock: Clock;
  // By client, in the order of their next turns.
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #restUntilMs = new Map<string, number>();
  // By client, the end of its last short turn: within `RETURN_MS`.
  readonly #shortTurnEndedMs = new Map<string, number>();
  #current: Turn | undefined;
  #pausing: { clients: ReadonlySet<string>; untilMs: number } | undefined;

  constructor(clock: Clock = REAL_TIME) {
    this.#clock = clock;
  }

  /** Do work that ends by itself within `limitMs`, once it is this client's turn. Throws `QueueFull`. */
  async run<T>(client: string, limitMs: number, work: () => Promise<T>): Promise<T> {
    const turn: Turn = { client, untilMs: 0 };
    await this.#take(turn);
    turn.startedMs = this.#clock.now();
    turn.untilMs = turn.startedMs + limitMs + GRACE_MS;
    try {
      return await work();
    } finally {
      if (this.#current === turn) this.#end(turn);
    }
  }

  /** Whether a turn is under way and within its limit. */
  isServing(): boolean {
    return this.#current !== undefined && this.#clock.now() < this.#current.untilMs;
  }

  async #take(turn: Turn): Promise<void> {
    let waiting = this.#enqueue(turn);
    this.#serve();
    while (this.#current !== turn) {
      const { promise: woken, resolve } = Promise.withResolvers<void>();
      waiting.wake = resolve;
      const untilMs = this.#current?.untilMs ?? this.#restEndMs(turn.client);
      // Each waiting caller has its own timer, because a timer ends with the request that set it.
      await Promise.race([woken, this.#clock.wait(Math.max(1, untilMs - this.#clock.now()))]);
      if (this.#current === turn) return;
      // On a busy machine a caller may notice its turn only after it was revoked: it queues again.
      if (!this.#isWaiting(turn)) waiting = this.#enqueue(turn);
      this.#serve();
    }
  }

  /** End an overdue turn, and start the next one if none is under way. */
  #serve(): void {
    const current = this.#current;
    if (current === undefined) this.#next();
    else if (this.#clock.now() >= current.untilMs) this.#end(current);
  }

  #enqueue(turn: Turn): Waiting {
    const { client } = turn;
    const own = this.#waiting.get(client) ?? [];
    if (own.length >= MAX_WAITING) throw new QueueFull();
    const waiting = { turn, wake: () => {} };
    own.push(waiting);
    this.#waiting.set(client, own);
    return waiting;
  }

  #isWaiting(turn: Turn): boolean {
    return this.#waiting.get(turn.client)?.some((waiting) => waiting.turn === turn) === true;
  }

  #end({ client, startedMs }: Turn): void {
    const now = this.#clock.now();
    const tookMs = startedMs === undefined ? 0 : now - startedMs;
    for (const [other, untilMs] of this.#restUntilMs)
      if (untilMs <= now) this.#restUntilMs.delete(other);
    if (tookMs > LONG_TURN_MS) this.#restUntilMs.set(client, now + tookMs);
    else this.#shortTurnEndedMs.set(client, now);
    this.#current = undefined;
    this.#putLast(client);
    if (tookMs > BLOCKING_TURN_MS)
      this.#pausing = { clients: new Set(this.#waiting.keys()), untilMs: now + BREATH_MS };
    this.#next();
    if (this.#current !== undefined) return;
    // All pause. Each caller waits for the limit of the ended turn, and now for the end of its pause.
    for (const { wake } of [...this.#waiting.values()].flat()) wake();
  }

  /** Move a client to the end of the queue, behind clients that arrived during its turn. */
  #putLast(client: string): void {
    const own = this.#waiting.get(client);
    if (own === undefined) return;
    this.#waiting.delete(client);
    this.#waiting.set(client, own);
  }

  /** The end of a client's pause, epoch milliseconds; in the past if it does not pause. */
  #restEndMs(client: string): number {
    const restUntilMs = this.#restUntilMs.get(client) ?? -Infinity;
    let othersMs = -Infinity;
    for (const [other, endedMs] of this.#shortTurnEndedMs)
      if (other !== client) othersMs = Math.max(othersMs, endedMs);
    const { clients, untilMs = -Infinity } = this.#pausing ?? {};
    const breathUntilMs = clients?.has(client) === true ? untilMs : -Infinity;
    return Math.max(breathUntilMs, Math.min(restUntilMs, othersMs + RETURN_MS));
  }

  /** Start the turn of the first waiting client that does not pause. */
  #next(): void {
    const now = this.#clock.now();
    for (const [client, endedMs] of this.#shortTurnEndedMs)
      if (endedMs + RETURN_MS <= now) this.#shortTurnEndedMs.delete(client);
    const entry = [...this.#waiting].find(([client]) => this.#restEndMs(client) <= now);
    if (entry === undefined) return;
    const [client, own] = entry;
    const first = own.shift();
    if (own.length === 0) this.#waiting.delete(client);
    if (first === undefined) return;
    this.#give(first.turn);
    first.wake();
  }

  #give(turn: Turn): void {
    turn.untilMs = this.#clock.now() + START_MS;
    this.#current = turn;
  }
}
