import type { Target } from "./contract.ts";
import type { IsolateRegister } from "./isolate-register.ts";

/** So many calls since they collected garbage, in all isolates together, are no reason to collect any. */
const UNCOLLECTED_CALLS = 2500;

/** An isolate collects garbage after this many calls at the earliest, and after this many at the latest. */
const MIN_CALLS = 50;
const MAX_CALLS = 1000;

/** An isolate that does not answer is not waited for any longer. */
const COLLECTION_MS = 500;

/** Garbage collectors: of the process's own isolate, and of a target's. */
export type Collecting = {
  own: () => void;
  in: (target: Target) => Promise<void>;
};

/**
 * Has isolates collect garbage, one at a time. By itself V8 begins where it is much for one isolate, and counts little of
 * what lies behind the runtime's objects: with many isolates that is hundreds of megabytes. Once it is that much, the
 * memory is fragmented and no longer returned to the system, so collections start before.
 */
export class Garbage {
  readonly #register: IsolateRegister;
  #ownCollectedAt = 0;
  #isCollecting = false;

  constructor(register: IsolateRegister) {
    this.#register = register;
  }

  /** Have the isolate collect garbage that has most of it, where it is enough. Called several times a second. */
  async look(collecting: Collecting): Promise<void> {
    if (this.#isCollecting) return;
    const { begun } = this.#register;
    // The leftovers of the calls of all isolates lie in the process's own.
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
