import { log } from "#telemetry/log.ts";

import { RelayedCode } from "./relayed-code.ts";
import type { UserCode } from "./user-code.ts";

/** Errors of V8 and workerd if one side of a call cannot deserialize the other's message. */
const UNREADABLE = /deserializ/i;

let ownSuffix: string | undefined;

/**
 * Code in a loader isolate. If a call fails because one side cannot deserialize the other's message, the isolate has
 * another version of the protocol: the code is loaded again under a fresh name, and the call is repeated.
 */
export class LoadedCode extends RelayedCode {
  readonly #open: (suffix: string) => UserCode;
  #code: UserCode;
  #isFresh = false;

  /** `open` opens the isolate with this suffix of its name. */
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
    // One per process is enough: all instances of this code share it.
    ownSuffix ??= crypto.randomUUID();
    this.#code = this.#open(ownSuffix);
    this.#isFresh = true;
  }
}

function isUnreadable(error: unknown): boolean {
  return error instanceof Error && UNREADABLE.test(error.message);
}
