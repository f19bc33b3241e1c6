import type { Failure } from "./invocation.ts";

/** A run failed at a limit of its call, which other events shared: it may be within the limits of its own. */
export class SharedLimit extends Error {
  override readonly name = "SharedLimit";
}

type Failed = { failure?: Failure; uncaught?: Failure[] };

/** Cloudflare's messages for code that exceeds a limit of its invocation. */
const EXCEEDED = /too many subrequests|exceeded (?:its |the )?cpu/i;

/** Finds the runs of a group that failed at a limit; of runs in order also those after it, which build on its state. */
export class SharedLimits {
  readonly #inOrder: boolean;
  #before: SharedLimit | undefined;

  constructor(inOrder: boolean) {
    this.#inOrder = inOrder;
  }

  /** The limit that the next outcome failed at, if any. */
  exceededBy({ failure, uncaught = [] }: Failed): SharedLimit | undefined {
    if (this.#before) return this.#before;
    const failures = failure ? [failure, ...uncaught] : uncaught;
    const exceeded = failures.find(({ message }) => EXCEEDED.test(message));
    const limit = exceeded && new SharedLimit(exceeded.message);
    if (this.#inOrder) this.#before = limit;
    return limit;
  }
}
