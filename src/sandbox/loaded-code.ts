import { log } from "#telemetry/log.ts";

import { RelayedCode } from "./relayed-code.ts";
import type { UserCode } from "./user-code.ts";

/** Errors of V8 and workerd if one side of a call cannot deserialize the other's message. */
const UNREADABLE = /deserializ/i;

let ownSuffix: string | undefined;

/** An isolate: opens it for a call of so many events. */
type Isolate = (events: number) => UserCode;

/**
 * Code in a loader isolate. If a call fails because one side cannot deserialize the other's message, the isolate has
 * another version of the protocol: the code is loaded again under a fresh name, and the call is repeated.
 */
export class LoadedCode extends RelayedCode {
  readonly #open: (suffix: string) => Isolate;
  #isolate: Isolate;
  #isFresh = false;

  /** `open` opens the isolate with this suffix of its name. */
  constructor(open: (suffix: string) => Isolate) {
    super();
    this.#open = open;
    this.#isolate = open("");
  }

  protected override async relay<T>(use: (code: UserCode) => Promise<T>, events = 1): Promise<T> {
    const isolate = this.#isolate;
    try {
      return await use(isolate(events));
    } catch (error) {
      if (!isUnreadable(error) || (isolate === this.#isolate && this.#isFresh)) throw error;
      if (isolate === this.#isolate) this.#renew();
      return await use(this.#isolate(events));
    }
  }

  #renew(): void {
    log("isolate_unreadable", {});
    // One per process is enough: all instances of this code share it.
    ownSuffix ??= crypto.randomUUID();
    this.#isolate = this.#open(ownSuffix);
    this.#isFresh = true;
  }
}

function isUnreadable(error: unknown): boolean {
  return error instanceof Error && UNREADABLE.test(error.message);
}
