// Removes features of the runtime that outlive a call from components, which reach them by `import()` of a name that they put
// together, or as a global: work that goes on after its call, the end of an isolate that others share, and the
// collection of its garbage.
import * as workers from "cloudflare:workers";

import { current } from "./context.worker.js";
import { endTap, waitForNothing } from "./runtime-tap.worker.js";

const entrypoints = endTap();
let endOfIsolate = entrypoints?.abortIsolate?.bind(entrypoints);
const scope = /** @type {any} */ (globalThis);
// Only sandbox processes have it. It cannot be deleted.
let collectGarbage = scope.collectGarbage;
const fixed = (value) => ({ value, writable: false, configurable: false });

if (collectGarbage) scope.collectGarbage = undefined;
if (entrypoints) Object.defineProperty(entrypoints, "abortIsolate", fixed(abortIsolate));

/** Ends the calling run as an error, not the isolate, even if the component catches it. */
function abortIsolate(reason) {
  const error = new IsolateAborted(reason);
  const context = current.getStore();
  if (context) context.aborted = error;
  throw error;
}

/** The function that ends this isolate. It is returned once, to the harness: components could import it otherwise. */
export function takeEndOfIsolate() {
  const taken = endOfIsolate;
  endOfIsolate = undefined;
  return taken;
}

/** The garbage collector of this isolate, if the runtime has it. It is given away once, as the end is. */
export function takeGarbageCollection() {
  const taken = collectGarbage;
  collectGarbage = undefined;
  return taken;
}

class IsolateAborted extends Error {
  name = "IsolateAborted";
  constructor(reason) {
    super(reason === undefined ? "The run called abortIsolate()" : `abortIsolate(): ${reason}`);
  }
}

/**
 * Do something where the module leads to no entrypoint, by which a component could call its own isolate.
 * @param {() => any} work
 * @returns {any} what it returns
 */
export function withoutExports(work) {
  return workers.withExports ? workers.withExports({}, work) : work();
}

let isSealed = false;

/**
 * Take from the context of all invocations what would let work go on after them.
 * @param {object} ctx
 */
export function sealContext(ctx) {
  if (isSealed) return;
  isSealed = true;
  for (const name of ["waitUntil", "passThroughOnException"])
    Object.defineProperty(Object.getPrototypeOf(ctx), name, fixed(waitForNothing));
}
