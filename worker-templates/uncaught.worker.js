// Errors that the component does not catch and that do not come from `run` itself: they are recorded with the call that
// threw them.
import { current } from "./context.worker.js";
import { describeFailure } from "./failure.worker.js";
import { LoadTimer, unlessLoading } from "./load-timers.worker.js";

const MAX_UNCAUGHT = 10;

// Packages replace globals when they are loaded.
const { Response } = globalThis;

// By rejected promise, because code may catch it later.
const rejections = new WeakMap();

function note(error) {
  const uncaught = current.getStore()?.uncaught;
  if (!uncaught || uncaught.length >= MAX_UNCAUGHT) return undefined;
  const failure = describeFailure(error);
  uncaught.push(failure);
  return { uncaught, failure };
}

globalThis.addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  const noted = note(event.reason);
  if (noted) rejections.set(event.promise, noted);
});

globalThis.addEventListener("rejectionhandled", ({ promise }) => {
  const noted = rejections.get(promise);
  if (noted?.uncaught.includes(noted.failure))
    noted.uncaught.splice(noted.uncaught.indexOf(noted.failure), 1);
});

const scope = /** @type {any} */ (globalThis);

scope.addEventListener("error", (event) => {
  event.preventDefault();
  note(event.error ?? event.message);
});

/** @type {[string, string][]} */
const TIMERS = [
  ["setTimeout", "clearTimeout"],
  ["setInterval", "clearInterval"],
  ["setImmediate", "clearImmediate"],
];

// workerd reports errors of a timer's callback to no listener. Timers end with the call that started them.
for (const [name, clearing] of TIMERS) {
  const start = scope[name];
  const stop = scope[clearing];
  const startInCall = (callback, rest, onFired) => {
    const context = current.getStore();
    const timers = context && (context.timers ??= new Map());
    const fired = () => {
      if (name === "setInterval") return;
      timers?.delete(timer);
      onFired?.();
    };
    const timer = start(guarded(callback, fired), ...rest);
    if (context?.ended) stop(timer);
    else timers?.set(timer, stop);
    return timer;
  };
  const startGuarded = (callback, ...rest) =>
    unlessLoading(
      () => startInCall(callback, rest),
      () => new LoadTimer((onFired) => startInCall(callback, rest, onFired), scope[clearing]),
    );
  // `promisify(setTimeout)` uses a property of it.
  scope[name] = Object.defineProperties(startGuarded, Object.getOwnPropertyDescriptors(start));
  scope[clearing] = (timer) => {
    if (timer instanceof LoadTimer) return void timer.close();
    current.getStore()?.timers?.delete(timer);
    stop(timer);
  };
}

/** @param {any} callback */
function guarded(callback, fired) {
  if (typeof callback !== "function") return callback;
  return /** @this {unknown} */ function guard(...args) {
    fired();
    try {
      return callback.apply(this, args);
    } catch (error) {
      note(error);
    }
  };
}

/**
 * Wait until the runtime has reported every rejection. It does so when no microtask is left, which reading a body to
 * its end waits for; a timer would take a hundred times longer.
 */
export async function rejectionsReported() {
  await new Response(" ").text();
}
