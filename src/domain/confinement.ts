/** Time for which code is confined after it held up or ended a process. */
const CONFINED_MS = 24 * 60 * 60 * 1000;

/**
 * If an owner has this many confined pieces of code without a source, all such code of the owner is confined: each
 * piece may be new.
 */
const MAX_PIECES = 3;

/** Maximum stored keys; those that were confined first are dropped first. */
const MAX_KEYS = 10_000;

/** The end of each key's confinement, epoch milliseconds. */
export type ConfinedUntil = Record<string, number>;

/** The key of code that belongs to no source or workflow yet. */
export function codeKey(owner: string, hash: string): string {
  return `${owner}/${hash}`;
}

/** Whether a key is that of an owner's code without a source or workflow. */
export function isCodeOf(owner: string, key: string): boolean {
  return key.startsWith(`${owner}/`);
}

/** The code that runs apart from all other: sources and workflows by their ids, and other code by its `codeKey`. */
export class Confinement {
  readonly #untilMs: Map<string, number>;

  constructor(untilMs: ConfinedUntil = {}) {
    const inTurn = Object.entries(untilMs).toSorted(([, a], [, b]) => a - b);
    this.#untilMs = new Map(inTurn.slice(-MAX_KEYS));
  }

  /** Whether code must run apart from the start. */
  isConfined(key: string, nowMs: number): boolean {
    return this.#has(key, nowMs) || this.#has(ownerOf(key), nowMs);
  }

  /** Confine code from now on, for a day. */
  confine(key: string, nowMs: number): void {
    this.#forget(nowMs);
    this.#add(key, nowMs);
    const owner = ownerOf(key);
    const pieces = [...this.#untilMs.keys()].filter((one) => isCodeOf(owner, one));
    if (pieces.length < MAX_PIECES) return;
    this.#add(owner, nowMs);
    for (const piece of pieces) this.#untilMs.delete(piece);
  }

  /** All keys that are confined. */
  entries(nowMs: number): ConfinedUntil {
    this.#forget(nowMs);
    return Object.fromEntries(this.#untilMs);
  }

  #has(key: string, nowMs: number): boolean {
    return (this.#untilMs.get(key) ?? 0) > nowMs;
  }

  #add(key: string, nowMs: number): void {
    this.#untilMs.delete(key);
    this.#untilMs.set(key, nowMs + CONFINED_MS);
    const [oldest] = this.#untilMs.keys();
    if (this.#untilMs.size > MAX_KEYS && oldest !== undefined) this.#untilMs.delete(oldest);
  }

  #forget(nowMs: number): void {
    for (const [key, untilMs] of this.#untilMs) if (untilMs <= nowMs) this.#untilMs.delete(key);
  }
}

/** The key of all code of an owner that belongs to no source; of a source, itself. */
function ownerOf(key: string): string {
  const [owner = key] = key.split("/");
  return owner;
}
