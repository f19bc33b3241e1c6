// `process.env` is that of the call, and writable. Code that keeps the object, as many packages do when they are
// loaded, still sees that of each call: it is looked up every time.
import { current } from "./context.worker.js";
// oxlint-disable-next-line import/no-unassigned-import -- it is about the environment of a call, and has to be there first.
import "./debug-log.worker.js";
// oxlint-disable-next-line import/no-unassigned-import -- packages call it when they are loaded.
import "./process-binding.worker.js";
// oxlint-disable-next-line import/no-unassigned-import -- packages read it when they are loaded.
import "./tls-handle.worker.js";

/** The variables that the component's module sets while it is loaded: the initial state of every call. */
const atLoad = {};
const variables = () => current.getStore()?.env ?? atLoad;

/** Values become text, as in Node. */
const env = new Proxy(
  {},
  {
    get: (_, name) => variables()[name],
    has: (_, name) => name in variables(),
    ownKeys: () => Reflect.ownKeys(variables()),
    getOwnPropertyDescriptor: (_, name) => Object.getOwnPropertyDescriptor(variables(), name),
    set: (_, name, value) => Reflect.set(variables(), name, `${value}`),
    defineProperty: (_, name, { value }) => Reflect.set(variables(), name, `${value}`),
    deleteProperty: (_, name) => Reflect.deleteProperty(variables(), name),
  },
);

Object.defineProperty(process, "env", {
  get: () => env,
  set: (given) => {
    const context = current.getStore();
    if (context) context.env = { ...given };
  },
});

/**
 * All variables that a call begins with: the id of its workflow, or of its source, where there is one already.
 * @param {{ kind: string, instance: { sourceId: string } }} call
 * @returns {Record<string, string | undefined>}
 */
export function environmentOf({ kind, instance: { sourceId } }) {
  const own =
    kind === "step"
      ? { PIPEDREAM_WORKFLOW_ID: sourceId, STASH_DIR: "/tmp" }
      : sourceId !== "" && { PD_COMPONENT: sourceId };
  return { ...atLoad, ...own };
}
