import { log } from "#telemetry/log.ts";

import { RelayedCode } from "./relayed-code.ts";
import type { UserCode } from "./user-code.ts";

/** What V8 and workerd say when one side of a call cannot read what the other has written. */
const UNREADABLE = /deserializ/i;

let ownSuffix: string | undefined;

/**
 * Code in a loader isolate. Where a call fails because one side cannot read the other's message, the isolate speaks
 * another version of the protocol than we do: the code is loaded once more under a fresh name, and called again there.
 */
export class LoadedCode extends RelayedCode {
  readonly #open: (suffix: string) => UserCode;
  #code: UserCode;
  #isFresh = false;

  /** `open` opens the isolate whose name ends like this. */
  constructor(open: (suffix: string) => UserCode) {
    super();
    this.#open = open;
    this.#code = open("");
  }

  protected override async relay<T>(use: (code: UserCode) => Promise<T>): Promise<T> {
    const code = this.#code;
    try {
      return await use(code);
    } catch (error) {
      if (!isUnreadable(error) || (code === this.#code && this.#isFresh)) throw error;
      if (code === this.#code) this.#renew();
      return await use(this.#code);
    }
  }

  #renew(): void {
    log("isolate_unreadable", {});
    // One a process is enough: all that it holds of this code share it.
    ownSuffix ??= crypto.randomUUID();
    this.#code = this.#open(ownSuffix);
    this.#isFresh = true;
  }
}

function isUnreadable(error: unknown): boolean {
  return error instanceof Error && UNREADABLE.test(error.message);
}
