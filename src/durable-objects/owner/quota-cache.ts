import { addUsed, dayOf, type Used } from "#domain/billing.ts";
import { type Allowance, allowanceOf, type QuotaState } from "#domain/quotas.ts";

/** In storage: whether the payer has quotas, by the last response of D1. */
const LIMITED = "limited";

/** In storage of a payer with quotas: the last response of D1. */
const STATE = "quotas";

/** In storage of a payer with quotas: the day since which the rows of written usage stay. */
const KEPT_SINCE = "kept_since";

/** Time for which a response of D1 is valid: this object adds the usage that was reported since. */
const FRESH_MS = 60_000;

/** The usage of today that D1 lacks, and the bytes that the payer's objects store. */
type BesideD1 = { used: Used; storedBytes: number };

type Cached = QuotaState & { day: string; readMs: number };

/** The quotas of a payer and the usage of today that D1 has, as last read from there. */
export class QuotaCache {
  readonly #kv: SyncKvStorage;
  #changes = 0;

  constructor(kv: SyncKvStorage) {
    this.#kv = kv;
  }

  /** Whether the payer has quotas; undefined: unknown. */
  isLimited(): boolean | undefined {
    return this.#kv.get<boolean>(LIMITED);
  }

  /** The rest of the quotas, with what D1 lacks; undefined: D1 must be read. */
  allowance(beside: () => BesideD1, nowMs: number): Allowance | undefined {
    const cached = this.#kv.get<Cached>(STATE);
    const isFresh = cached && nowMs - cached.readMs < FRESH_MS && cached.day === today(nowMs);
    return isFresh ? allowanceWith(cached, beside()) : undefined;
  }

  /** Read the quotas from D1 with the next report. */
  forget(): void {
    this.forgetUsed();
    if (this.isLimited() !== undefined) this.#kv.delete(LIMITED);
  }

  /** Read the usage of a payer with quotas from D1 with the next report. */
  forgetUsed(): void {
    this.#changes += 1;
    this.#drop();
  }

  /** Call this before D1 is read. Returns a function that stores the response. */
  reading(nowMs: number): (state: QuotaState) => void {
    const changes = this.#changes;
    return (state) => {
      // A response from before the change of the quotas is outdated.
      if (changes !== this.#changes) return;
      const isLimited = hasQuota(state);
      if (this.isLimited() !== isLimited) this.#kv.put(LIMITED, isLimited);
      if (isLimited)
        this.#kv.put(STATE, { ...state, day: today(nowMs), readMs: nowMs } satisfies Cached);
      else this.#drop();
    };
  }

  /** Whether D1 has no usage of today by emitters without a row: all written rows of today stay. */
  keepsRows(nowMs: number): boolean {
    const since = this.#kv.get<string>(KEPT_SINCE);
    return since !== undefined && since < today(nowMs);
  }

  /** Record whether rows of written usage stay from now on. */
  setKeepsRows(keeps: boolean, nowMs: number): void {
    const isKnown = this.#kv.get(KEPT_SINCE) !== undefined;
    if (keeps && !isKnown) this.#kv.put(KEPT_SINCE, today(nowMs));
    else if (!keeps && isKnown) this.#kv.delete(KEPT_SINCE);
  }

  #drop(): void {
    if (this.#kv.get(STATE) !== undefined) this.#kv.delete(STATE);
  }
}

/** Whether any quota is set. */
export function hasQuota({ quotas, used }: QuotaState): boolean {
  return allowanceOf(quotas, used) !== null;
}

/** The rest of the quotas, with what D1 lacks. */
export function allowanceWith(
  { quotas, used }: QuotaState,
  { used: owed, storedBytes }: BesideD1,
): Allowance {
  const state = { quotas, used: addUsed(used, owed), storedBytes };
  const allowance = allowanceOf(state.quotas, state.used, storedBytes);
  return allowance && { ...allowance, state };
}

function today(nowMs: number): string {
  return dayOf(nowMs / 1000);
}
