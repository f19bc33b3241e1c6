import type { Secret } from "./contract.ts";
import { newSigningSecret } from "./signature.ts";

/** How long an old secret goes on signing, unless told otherwise. */
export const OVERLAP_MS = 24 * 60 * 60 * 1000;

/** Every secret is a signature more on every request. */
const MOST_SECRETS = 4;

const KEY = "secrets";

/** What a webhook signs with: the newest secret, and those before it whose overlap has not ended. */
export class Secrets {
  readonly #kv: SyncKvStorage;

  constructor(kv: SyncKvStorage) {
    this.#kv = kv;
  }

  /** Make a secret if there is none. */
  init(): string | null {
    return this.all().length > 0 ? null : this.rotate(0, 0);
  }

  rotate(overlapMs: number, nowMs: number): string {
    const secret = newSigningSecret();
    const endMs = nowMs + overlapMs;
    const old = this.all()
      .map((before) => ({ ...before, untilMs: Math.min(before.untilMs ?? endMs, endMs) }))
      .filter(({ untilMs }) => untilMs > nowMs);
    this.#kv.put(KEY, [{ secret, untilMs: null }, ...old].slice(0, MOST_SECRETS));
    return secret;
  }

  /** Newest first. */
  valid(nowMs: number): string[] {
    return this.all()
      .filter(({ untilMs }) => untilMs === null || untilMs > nowMs)
      .map(({ secret }) => secret);
  }

  /** All that are kept, newest first. */
  all(): Secret[] {
    return this.#kv.get<Secret[]>(KEY) ?? [];
  }

  /** Have those of a backup, where there are none. */
  restore(secrets: readonly Secret[]): void {
    if (this.all().length === 0 && secrets.length > 0) this.#kv.put(KEY, secrets);
  }
}
