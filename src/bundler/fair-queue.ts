/** How many callers one client may have waiting: more would only grow old in the queue. */
const MAX_WAITING = 32;

/** How long a caller may take to notice that it is its turn: one that was cancelled never does. */
const START_MS = 2000;

/** How much longer than its limit a turn may take before it is taken away: the work settles by itself first. */
const GRACE_MS = 2000;

/** A client has too many callers in the queue already. */
export class QueueFull extends Error {
  override readonly name = "QueueFull";
}

type Turn = { untilMs: number };
type Waiting = { turn: Turn; grant: () => void };

/**
 * Lets one caller work at a time, and serves clients in rotation: one client's backlog delays each other client by one
 * turn at most. A caller whose request was cancelled loses its turn when its time is over.
 */
export class FairQueue {
  readonly #now: () => number;
  // By client, in the order of their next turns.
  readonly #waiting = new Map<string, Waiting[]>();
  #current: Turn | undefined;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Do work that ends by itself within `limitMs`, once it is this client's turn. Throws `QueueFull`. */
  async run<T>(client: string, limitMs: number, work: () => Promise<T>): Promise<T> {
    const turn = { untilMs: 0 };
    await this.#take(client, turn);
    turn.untilMs = this.#now() + limitMs + GRACE_MS;
    try {
      return await work();
    } finally {
      if (this.#current === turn) this.#next();
    }
  }

  /** Whether somebody's turn goes on and is not over its limit. */
  isServing(): boolean {
    return this.#current !== undefined && this.#now() < this.#current.untilMs;
  }

  async #take(client: string, turn: Turn): Promise<void> {
    let granted: Promise<void> | undefined;
    while (this.#current !== turn) {
      if (this.#current === undefined) return this.#give(turn);
      // A busy machine may let a caller notice its turn only after it was taken away: it queues once more.
      if (granted === undefined || !this.#isWaiting(client, turn))
        granted = this.#enqueue(client, turn);
      const leftMs = Math.max(1, this.#current.untilMs - this.#now());
      await Promise.race([granted, scheduler.wait(leftMs)]);
      // Each waiting caller has a timer of its own, because a timer ends with the request that set it.
      if (this.#isOverdue(turn)) this.#next();
    }
  }

  #enqueue(client: string, turn: Turn): Promise<void> {
    const own = this.#waiting.get(client) ?? [];
    if (own.length >= MAX_WAITING) throw new QueueFull();
    const { promise: granted, resolve: grant } = Promise.withResolvers<void>();
    own.push({ turn, grant });
    this.#waiting.set(client, own);
    return granted;
  }

  #isWaiting(client: string, turn: Turn): boolean {
    return this.#waiting.get(client)?.some((waiting) => waiting.turn === turn) === true;
  }

  /** Whether the turn of anybody else has lasted for longer than it may. */
  #isOverdue(own: Turn): boolean {
    const current = this.#current;
    return current !== undefined && current !== own && this.#now() >= current.untilMs;
  }

  #next(): void {
    this.#current = undefined;
    const [entry] = this.#waiting;
    if (entry === undefined) return;
    const [client, [first, ...others]] = entry;
    // Behind everybody else who waits.
    this.#waiting.delete(client);
    if (others.length > 0) this.#waiting.set(client, others);
    if (first === undefined) return;
    this.#give(first.turn);
    first.grant();
  }

  #give(turn: Turn): void {
    turn.untilMs = this.#now() + START_MS;
    this.#current = turn;
  }
}
