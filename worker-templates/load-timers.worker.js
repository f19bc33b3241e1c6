// Timers that modules start while they are loaded, when the runtime has no timers: they run within calls.
import { current } from "./context.worker.js";

/** The runtime's error for work that only a call may do. */
const ONLY_IN_CALLS = /^Disallowed operation called within global scope/;

/** @type {Set<LoadTimer>} */
const waiting = new Set();

/**
 * The return value of `operation`, or of `atLoad` if the runtime refuses the operation while modules are loaded.
 * @template T
 * @param {() => T} operation
 * @param {() => T} atLoad
 * @returns {T}
 */
export function unlessLoading(operation, atLoad) {
  try {
    return operation();
  } catch (error) {
    if (!ONLY_IN_CALLS.test(/** @type {any} */ (error)?.message)) throw error;
    return atLoad();
  }
}

/** A timer without a call, with the members of Node's. The next call starts it, and again the one after it if need be. */
export class LoadTimer {
  #begin;
  #stop;
  #timer;
  #context;

  /**
   * @param {(onFired: () => void) => any} begin start it in the current call
   * @param {(timer: any) => void} stop
   */
  constructor(begin, stop) {
    this.#begin = begin;
    this.#stop = stop;
    waiting.add(this);
  }

  /** Start it in the current call, unless it runs in another one. */
  resume() {
    if (this.#context && !this.#context.ended) return;
    this.#context = current.getStore();
    this.#timer = this.#begin(() => waiting.delete(this));
  }

  close() {
    waiting.delete(this);
    if (this.#timer !== undefined) this.#stop(this.#timer);
    return this;
  }

  refresh() {
    this.#timer?.refresh();
    return this;
  }

  ref() {
    return this;
  }

  unref() {
    return this;
  }

  hasRef() {
    return false;
  }

  [Symbol.dispose]() {
    this.close();
  }
}

/** Start the timers of the load in the current call: they end with it, like its own ones. */
export function resumeLoadTimers() {
  for (const timer of waiting) timer.resume();
}
