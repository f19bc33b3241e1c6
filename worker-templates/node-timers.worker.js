// The module that `import "timers"` loads: the globals of the harness, all else is the runtime's.
import runtime from "node:timers";

// oxlint-disable-next-line import/no-unassigned-import -- it replaces the globals.
import "./uncaught.worker.js";

export const {
  clearImmediate,
  clearInterval,
  clearTimeout,
  setImmediate,
  setInterval,
  setTimeout,
} = globalThis;
export const { promises } = runtime;
export default {
  ...runtime,
  clearImmediate,
  clearInterval,
  clearTimeout,
  setImmediate,
  setInterval,
  setTimeout,
};
