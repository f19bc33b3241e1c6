import { isId } from "./ids.ts";

/** Time for which code is confined after it held up or ended a process. */
const CONFINED_MS = 24 * 60 * 60 * 1000;

/** If a tenant has this many confined pieces of code, all its code is confined: each piece may be new. */
const MAX_PIECES = 3;

/** Maximum stored keys; those that were confined first are dropped first. */
const MAX_KEYS = 10_000;

/** The end of each key's confinement, epoch milliseconds. */
export type ConfinedUntil = Record<string, number>;

/**
 * The key of code. `tenant`: its owner, or the project of an external user; `subject`: its source or workflow, or the
 * hash of code that belongs to neither yet.
 */
export function codeKey(tenant: string, subject: string): string {
  return `${tenant}/${subject}`;
}

/** The source or workflow of a key, or the hash of its code. */
export function subjectOf(key: string): string {
  return key.slice(key.indexOf("/") + 1);
}

/** Whether a key is that of code without a source or workflow. */
export function isUnsaved(key: string): boolean {
  const subject = subjectOf(key);
  return !isId("source", subject) && !isId("workflow", subject);
}

/** The code that runs apart from all other, by its `codeKey`, and the tenants whose code all does. */
export class Confinement {
  readonly #untilMs: Map<string, number>;

  constructor(untilMs: ConfinedUntil = {}) {
    const inTurn = Object.entries(untilMs).toSorted(([, a], [, b]) => a - b);
    this.#untilMs = new Map(inTurn.slice(-MAX_KEYS));
  }

  /** Whether code must run apart from the start. */
  isConfined(key: string, nowMs: number): boolean {
    return this.#has(key, nowMs) || this.#has(tenantOf(key), nowMs);
  }

  /** Confine code from now on, for a day. */
  confine(key: string, nowMs: number): void {
    this.#forget(nowMs);
    this.#add(key, nowMs);
    const tenant = tenantOf(key);
    const prefix = codeKey(tenant, "");
    const pieces = [...this.#untilMs.keys()].filter((one) => one.startsWith(prefix));
    if (pieces.length < MAX_PIECES) return;
    this.#add(tenant, nowMs);
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

/** The tenant of a key. */
export function tenantOf(key: string): string {
  const [tenant = key] = key.split("/");
  return tenant;
}
