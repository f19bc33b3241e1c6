import type { Id, OwnerId } from "#domain/ids.ts";
import { log } from "#telemetry/log.ts";

const KEY = "account_check";

/** Delay of the next check after a failed one. */
const RETRY_DELAY_MS = 30_000;

/** A pending check. `number`: of the request for it; another number means that accounts changed again. */
type Requested = { number: number; dueMs: number };

/** The configured accounts of an active emitter. */
export type GivenAccounts = { ownerId: OwnerId; ids: readonly Id<"account">[] };

/** The accounts, of some, that have no credentials for their owner. */
export type LostAccounts = (ownerId: OwnerId, ids: readonly Id<"account">[]) => Promise<string[]>;

type Deps = {
  kv: SyncKvStorage;
  /** Undefined if no active deployment needs accounts. */
  given: () => GivenAccounts | undefined;
  lost: LostAccounts;
  /** Whether the owner was alerted of lost accounts. */
  isAlerting: () => boolean;
};

/** Checks for lost accounts of an emitter when these or the emitter have changed: requests survive a crash. */
export class AccountWatch {
  readonly #deps: Deps;
  #isChecking = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * Request a check, which the alarm performs. Without accounts and without an alert about them there is nothing to
   * check.
   */
  request(): void {
    if (!this.#deps.given()?.ids.length && !this.#deps.isAlerting()) return;
    const number = (this.#requested()?.number ?? 0) + 1;
    this.#deps.kv.put<Requested>(KEY, { number, dueMs: Date.now() });
  }

  /** The time of the next check, epoch milliseconds. */
  nextDueMs(): number | undefined {
    return this.#requested()?.dueMs;
  }

  /** Perform the due check. `settle` receives the lost accounts, unless they may have changed meanwhile. */
  async check(settle: (lost: readonly string[]) => void): Promise<void> {
    const requested = this.#requested();
    if (!requested || requested.dueMs > Date.now() || this.#isChecking) return;
    this.#isChecking = true;
    try {
      const lost = await this.#lost();
      if (this.#requested()?.number !== requested.number) return;
      settle(lost);
      this.#deps.kv.delete(KEY);
    } catch (error) {
      log("accounts_unchecked", { owner_id: this.#deps.given()?.ownerId, error });
      this.#deps.kv.put<Requested>(KEY, { ...requested, dueMs: Date.now() + RETRY_DELAY_MS });
    } finally {
      this.#isChecking = false;
    }
  }

  async #lost(): Promise<string[]> {
    const { given, lost } = this.#deps;
    const { ownerId, ids } = given() ?? {};
    return ownerId === undefined || !ids?.length ? [] : lost(ownerId, [...new Set(ids)]);
  }

  #requested(): Requested | undefined {
    return this.#deps.kv.get<Requested>(KEY);
  }
}
