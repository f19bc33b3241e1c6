import type { Target } from "./contract.ts";
import type { IsolateRegister } from "./isolate-register.ts";

/** Minimum calls since the last collection, in all isolates together, before one is needed. */
const UNCOLLECTED_CALLS = 2500;

/** Minimum and maximum calls between two collections of an isolate. */
const MIN_CALLS = 50;
const MAX_CALLS = 1000;

/** Maximum time to wait for the collection of an isolate. */
const COLLECTION_MS = 500;

/** The garbage collectors of the process's own isolate, and of a target's. */
export type Collecting = {
  own: () => void;
  in: (target: Target) => Promise<void>;
};

/**
 * Triggers garbage collections of isolates, one at a time. V8 starts them by the memory of one isolate, and counts
 * little of the memory of the runtime's objects: with many isolates that is hundreds of megabytes. By then the memory
 * is fragmented and no longer returned to the system, so collections start earlier.
 */
export class Garbage {
  readonly #register: IsolateRegister;
  #ownCollectedAt = 0;
  #isCollecting = false;

  constructor(register: IsolateRegister) {
    this.#register = register;
  }

  /** Collect the garbage of the isolate with most of it, if it is enough. Called several times a second. */
  async look(collecting: Collecting): Promise<void> {
    if (this.#isCollecting) return;
    const { begun } = this.#register;
    // The process's own isolate has the garbage of the calls of all isolates.
    if (begun - this.#ownCollectedAt >= UNCOLLECTED_CALLS) {
      this.#ownCollectedAt = begun;
      collecting.own();
      return;
    }
    const target = this.#register.takeUncollected(this.#enough());
    if (target === undefined) return;
    this.#isCollecting = true;
    await Promise.race([collecting.in(target), scheduler.wait(COLLECTION_MS)]);
    this.#isCollecting = false;
  }

  #enough(): number {
    const { isolates } = this.#register.status();
    return Math.min(MAX_CALLS, Math.max(MIN_CALLS, UNCOLLECTED_CALLS / isolates));
  }
}
