/** Callbacks in a turn, after which the runtime continues: timers fire, and other requests run. */
const CALLBACKS_A_TURN = 32;

let areQuick = false;

/**
 * Run the callbacks of `setTimeout` calls without a delay as microtasks. esbuild posts each message to its program by
 * such a call: workerd takes 2 ms for each, and the smallest build has nine. Calls with a delay stay as they are.
 */
export function quickenTimers(): void {
  if (areQuick) return;
  areQuick = true;
  const { setTimeout: start } = globalThis;
  let callbacks = 0;
  const quick = (callback: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => {
    if (ms !== undefined) return start(callback, ms, ...args);
    callbacks += 1;
    if (callbacks % CALLBACKS_A_TURN === 0) return start(callback, 0, ...args);
    queueMicrotask(() => callback(...args));
    return undefined;
  };
  Object.assign(globalThis, { setTimeout: quick });
}
