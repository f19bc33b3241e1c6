// Removes features of the runtime with effects beyond a call from components, which could reach them by `import()` of a
// computed name, or as a global: work after its call, the end of a shared isolate, and the collection of its garbage.
import * as workers from "cloudflare:workers";

import { current } from "./context.worker.js";
import { endTap, waitForNothing } from "./runtime-tap.worker.js";

const entrypoints = endTap();
let endOfIsolate = entrypoints?.abortIsolate?.bind(entrypoints);
const scope = /** @type {any} */ (globalThis);
// Only sandbox processes have this global. It cannot be deleted.
let collectGarbage = scope.collectGarbage;
const fixed = (value) => ({ value, writable: false, configurable: false });

if (collectGarbage) scope.collectGarbage = undefined;
if (entrypoints) Object.defineProperty(entrypoints, "abortIsolate", fixed(abortIsolate));

/** Fails the calling run instead of ending the isolate, even if the component catches the error. */
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

/** The garbage collector of this isolate, if the runtime has it. It is returned once, like the function above. */
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
 * Run a function while the module has no entrypoint by which a component could call its own isolate.
 * @param {() => any} work
 * @returns {any} the return value of `work`
 */
export function withoutExports(work) {
  return workers.withExports ? workers.withExports({}, work) : work();
}

let isSealed = false;

/**
 * Remove the features that continue work after its call from the context of all invocations.
 * @param {object} ctx
 */
export function sealContext(ctx) {
  if (isSealed) return;
  isSealed = true;
  for (const name of ["waitUntil", "passThroughOnException"])
    Object.defineProperty(Object.getPrototypeOf(ctx), name, fixed(waitForNothing));
}
