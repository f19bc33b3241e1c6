/** How many callers one client may have waiting: more would only grow old in the queue. */
const MAX_WAITING = 32;

/** How long a caller may take to notice that it is its turn: one that was cancelled never does. */
const START_MS = 2000;

/** How much longer than its limit a turn may take before it is taken away: the work settles by itself first. */
const GRACE_MS = 2000;

/** A client whose turn lasted longer lets others go first who may come back for another. */
const LONG_TURN_MS = 2000;

/** How soon after a turn its client comes back: the work of a deploy takes two. */
const RETURN_MS = 3000;

/** A client has too many callers in the queue already. */
export class QueueFull extends Error {
  override readonly name = "QueueFull";
}

type Turn = { client: string; untilMs: number; startedMs?: number };
type Waiting = { turn: Turn; grant: () => void };

/**
 * Lets one caller work at a time, and serves clients in rotation: one client's backlog delays each other client by one
 * turn at most. After a long turn a client rests for as long as it took, while others had one a moment ago: who takes
 * several short turns waits for one long turn, not for one before each. A caller whose request was cancelled loses its
 * turn when its time is over.
 */
export class FairQueue {
  readonly #now: () => number;
  // By client, in the order of their next turns.
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #restUntilMs = new Map<string, number>();
  #shortTurnEndedMs = -Infinity;
  #current: Turn | undefined;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Do work that ends by itself within `limitMs`, once it is this client's turn. Throws `QueueFull`. */
  async run<T>(client: string, limitMs: number, work: () => Promise<T>): Promise<T> {
    const turn: Turn = { client, untilMs: 0 };
    await this.#take(turn);
    turn.startedMs = this.#now();
    turn.untilMs = turn.startedMs + limitMs + GRACE_MS;
    try {
      return await work();
    } finally {
      if (this.#current === turn) this.#end(turn);
    }
  }

  /** Whether somebody's turn goes on and is not over its limit. */
  isServing(): boolean {
    return this.#current !== undefined && this.#now() < this.#current.untilMs;
  }

  async #take(turn: Turn): Promise<void> {
    let granted = this.#enqueue(turn);
    this.#serve();
    while (this.#current !== turn) {
      const untilMs = this.#current?.untilMs ?? this.#restEndMs(turn.client);
      // Each waiting caller has a timer of its own, because a timer ends with the request that set it.
      await Promise.race([granted, scheduler.wait(Math.max(1, untilMs - this.#now()))]);
      // A busy machine may let a caller notice its turn only after it was taken away: it queues once more.
      if (this.#current !== turn && !this.#isWaiting(turn)) granted = this.#enqueue(turn);
      this.#serve();
    }
  }

  /** Take away a turn that lasted for longer than it may, and give one where nobody has it. */
  #serve(): void {
    const current = this.#current;
    if (current === undefined) this.#next();
    else if (this.#now() >= current.untilMs) this.#end(current);
  }

  #enqueue(turn: Turn): Promise<void> {
    const { client } = turn;
    const own = this.#waiting.get(client) ?? [];
    if (own.length >= MAX_WAITING) throw new QueueFull();
    const { promise: granted, resolve: grant } = Promise.withResolvers<void>();
    own.push({ turn, grant });
    this.#waiting.set(client, own);
    return granted;
  }

  #isWaiting(turn: Turn): boolean {
    return this.#waiting.get(turn.client)?.some((waiting) => waiting.turn === turn) === true;
  }

  #end({ client, startedMs }: Turn): void {
    const now = this.#now();
    const tookMs = startedMs === undefined ? 0 : now - startedMs;
    if (tookMs > LONG_TURN_MS) this.#restUntilMs.set(client, now + tookMs);
    else this.#shortTurnEndedMs = now;
    this.#current = undefined;
    this.#putLast(client);
    this.#next();
  }

  /** Behind everybody else who waits, also who came while it worked. */
  #putLast(client: string): void {
    const own = this.#waiting.get(client);
    if (own === undefined) return;
    this.#waiting.delete(client);
    this.#waiting.set(client, own);
  }

  /** When the rest of a client ends; in the past where it does not rest. */
  #restEndMs(client: string): number {
    const restUntilMs = this.#restUntilMs.get(client);
    if (restUntilMs === undefined) return -Infinity;
    if (restUntilMs <= this.#now()) this.#restUntilMs.delete(client);
    return Math.min(restUntilMs, this.#shortTurnEndedMs + RETURN_MS);
  }

  /** Gives the turn to the first client that waits and does not rest. */
  #next(): void {
    const now = this.#now();
    const entry = [...this.#waiting].find(([client]) => this.#restEndMs(client) <= now);
    if (entry === undefined) return;
    const [client, own] = entry;
    const first = own.shift();
    if (own.length === 0) this.#waiting.delete(client);
    if (first === undefined) return;
    this.#give(first.turn);
    first.grant();
  }

  #give(turn: Turn): void {
    turn.untilMs = this.#now() + START_MS;
    this.#current = turn;
  }
}
