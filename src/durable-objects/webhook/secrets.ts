import { newSigningSecret } from "#domain/signature.ts";
import type { Vault } from "#vault/vault.ts";

import type { Secret } from "./contract.ts";

/** Default time for which an old secret keeps signing. */
export const OVERLAP_MS = 24 * 60 * 60 * 1000;

/** Time for which an agent's old secret keeps signing: requests on their way have arrived by then. */
export const AGENT_OVERLAP_MS = 5 * 60 * 1000;

/** Every secret adds a signature to every request. */
const MAX_SECRETS = 4;

const KEY = "secrets";

type Sealed = { sealed: string; untilMs: number | null };

/** A form of a later release, before that was rolled back. */
type Unknown = { untilMs: number | null };

/** The stored form: earlier releases stored them in clear. */
type Kept = Sealed | Secret | Unknown;

type Deps = { kv: SyncKvStorage; vault: Vault; webhookId: () => string };

/** The signing secrets of a webhook: the newest, and earlier ones within their overlap. Sealed at rest. */
export class Secrets {
  readonly #deps: Deps;
  /** Opened secrets by their sealed text, so that a delivery decrypts nothing. */
  #opened = new Map<string, string>();
  /** The stored ones, once they were read: each delivery needs them several times. */
  #known: readonly Kept[] | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Generate a secret if there is none. */
  async init(): Promise<string | null> {
    return this.#kept().length > 0 ? null : this.rotate(0, 0);
  }

  /** Sign with a secret that the receiver chose. Changes nothing if it is the newest. */
  async adopt(secret: string, overlapMs: number, nowMs: number): Promise<void> {
    const [newest] = await this.all();
    if (newest?.secret !== secret) await this.rotate(overlapMs, nowMs, secret);
  }

  /** Sign with a new secret, and with those before it until the overlap ends. */
  async rotate(overlapMs: number, nowMs: number, secret = newSigningSecret()): Promise<string> {
    const newest = await this.#seal({ secret, untilMs: null });
    const endMs = nowMs + overlapMs;
    const old = this.#kept()
      .map((before) => ({ ...before, untilMs: Math.min(before.untilMs ?? endMs, endMs) }))
      .filter(({ untilMs }) => untilMs > nowMs);
    this.#keep([newest, ...old].slice(0, MAX_SECRETS));
    return secret;
  }

  /** Newest first. */
  async valid(nowMs: number): Promise<string[]> {
    const all = await this.all();
    return all
      .filter(({ untilMs }) => untilMs === null || untilMs > nowMs)
      .map(({ secret }) => secret);
  }

  /** All stored secrets that can be decrypted, newest first. Throws if none of them can. */
  async all(): Promise<Secret[]> {
    await this.#sealAll();
    const sealed = this.#kept().filter(isSealed);
    if (sealed.length === 0 && this.#kept().length > 0) throw new Error(OF_LATER_RELEASE);
    const opened = await Promise.allSettled(sealed.map((each) => this.#open(each)));
    const secrets = opened.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    const [first] = opened;
    if (secrets.length === 0 && first?.status === "rejected") throw first.reason;
    return secrets;
  }

  /** Store those of a backup, if there are none. */
  async restore(secrets: readonly Secret[]): Promise<void> {
    const sealed = await Promise.all(secrets.map((secret) => this.#seal(secret)));
    if (this.#kept().length === 0 && sealed.length > 0) this.#keep(sealed);
  }

  /** Rewrap all with the current master key. */
  async rewrap(): Promise<void> {
    await this.#sealAll();
    await this.#replace(isSealed, async (kept) => ({
      ...kept,
      sealed: (await this.#deps.vault.rewrap(kept.sealed, this.#place())) ?? kept.sealed,
    }));
  }

  /** Encrypt the secrets that an earlier release stored in clear. */
  async #sealAll(): Promise<void> {
    await this.#replace(isClear, (secret) => this.#seal(secret));
  }

  /** Replace some of the stored ones. A secret rotated meanwhile stays unchanged. */
  async #replace<K extends Kept>(
    isMeant: (kept: Kept) => kept is K,
    change: (kept: K) => Promise<Sealed>,
  ): Promise<void> {
    const before = this.#kept().filter(isMeant);
    if (before.length === 0) return;
    const after = await Promise.all(before.map(change));
    const changed = new Map(before.map((kept, index) => [textOf(kept), after[index]]));
    const renewed = this.#kept().map((kept) => {
      const sealed = changed.get(textOf(kept))?.sealed;
      return sealed === undefined ? kept : { sealed, untilMs: kept.untilMs };
    });
    this.#keep(renewed);
  }

  async #seal({ secret, untilMs }: Secret): Promise<Sealed> {
    const sealed = await this.#deps.vault.seal(secret, this.#place());
    return { sealed, untilMs };
  }

  async #open({ sealed, untilMs }: Sealed): Promise<Secret> {
    const known = this.#opened.get(sealed);
    const secret = known ?? (await this.#deps.vault.open(sealed, this.#place()));
    this.#opened.set(sealed, secret);
    return { secret, untilMs };
  }

  #place(): string[] {
    return ["webhook", this.#deps.webhookId(), "signing_secret"];
  }

  #kept(): readonly Kept[] {
    this.#known ??= this.#deps.kv.get<Kept[]>(KEY) ?? [];
    return this.#known;
  }

  #keep(kept: readonly Kept[]): void {
    this.#opened = new Map();
    this.#deps.kv.put(KEY, kept);
    this.#known = kept;
  }
}

const OF_LATER_RELEASE =
  "The signing secrets were stored by a later release: deploy that one again, or rotate them without an overlap";

function isSealed(kept: Kept): kept is Sealed {
  return "sealed" in kept;
}

function isClear(kept: Kept): kept is Secret {
  return "secret" in kept;
}

function textOf(kept: Kept): string {
  if (isSealed(kept)) return kept.sealed;
  return isClear(kept) ? kept.secret : JSON.stringify(kept);
}
