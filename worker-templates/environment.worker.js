// `process.env` is that of the call, and writable. Code that keeps the object, as many packages do when they are
// loaded, still sees that of each call: each access looks it up.
import { current } from "./context.worker.js";
// oxlint-disable-next-line import/no-unassigned-import -- it provides the environment of a call, and must be loaded first.
import "./debug-log.worker.js";
// oxlint-disable-next-line import/no-unassigned-import -- packages call it when they are loaded.
import "./process-binding.worker.js";
// oxlint-disable-next-line import/no-unassigned-import -- packages read it when they are loaded.
import "./tls-handle.worker.js";

/** The variables that the component's module sets when it is loaded: the initial state of every call. */
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
 * The initial variables of a call: the id of its workflow, or of its source, if it exists already.
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
