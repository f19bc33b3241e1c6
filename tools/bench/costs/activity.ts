import { AsyncLocalStorage } from "node:async_hooks";

import type { ObjectKind, Tally } from "./tally.ts";

/**
 * The active time of an object: from the start of the first pending operation to the end of the last one. Cloudflare
 * bills this time; work that a request leaves for after its response counts.
 */
class Activity {
  readonly #kind: ObjectKind;
  readonly #tally: Tally;
  #underWay = 0;
  #sinceMs = 0;

  constructor(kind: ObjectKind, tally: Tally) {
    this.#kind = kind;
    this.#tally = tally;
  }

  async during<T>(work: () => T | Promise<T>): Promise<T> {
    if (this.#underWay === 0) this.#sinceMs = Date.now();
    this.#underWay += 1;
    try {
      return await work();
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0)
        this.#tally.add(`${this.#kind}.activeMs`, Date.now() - this.#sinceMs);
    }
  }
}

const current = new AsyncLocalStorage<Activity>();

/** Do work that keeps the calling object active, if an object calls. */
export function keepingActive<T>(work: () => Promise<T>): Promise<T> {
  const activity = current.getStore();
  return activity ? activity.during(work) : work();
}

type Methods = Record<string, (...args: never[]) => unknown>;

/** Count every request to objects of a class, and their active time. `own` is the class's prototype. */
export function watchRequests(own: object, kind: ObjectKind, tally: Tally): void {
  const activities = new WeakMap<object, Activity>();
  const inherited: object = Object.getPrototypeOf(own);
  for (const name of Object.getOwnPropertyNames(inherited)) {
    if (name === "constructor") continue;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a class of ours has methods only.
    const method = (inherited as Methods)[name];
    if (!method) continue;
    Object.defineProperty(own, name, {
      value(this: object, ...args: never[]) {
        tally.add(name === "alarm" ? `${kind}.alarms` : `${kind}.requests`);
        const activity = activities.get(this) ?? new Activity(kind, tally);
        activities.set(this, activity);
        return current.run(activity, () => activity.during(() => method.apply(this, args)));
      },
    });
  }
}
