// The harness around a user's component. It runs in that user's isolate and is the only way in or out of it.
// Nothing of the user's crosses as an exception: outcomes are data.
import { WorkerEntrypoint } from "cloudflare:workers";

// First, so that the globals are ours before the component's module is evaluated.
import { inCall } from "./call.worker.js";
import { definitionOf } from "./definition.worker.js";
import { describeFailure } from "./failure.worker.js";
import { buildInstance } from "./instance.worker.js";

/** Evaluate the component's module, once an isolate. */
async function load() {
  const module = await import("./component.js");
  const exported = module.default;
  // A transpiled CommonJS module carries its default export one level down.
  const component = exported?.__esModule ? exported.default : exported;
  if (typeof component !== "object" || component === null)
    throw new TypeError("The module does not export a component object by default");
  return component;
}

export default class Harness extends WorkerEntrypoint {
  /**
   * Execute the module and tell what it defines; given configured props, with what additionalProps() adds.
   * @param {string} [props] JSON text of the configured props by name
   */
  async describe(props) {
    try {
      const definition = await definitionOf(await load(), props && JSON.parse(props));
      return { ok: true, definition: JSON.stringify(definition) };
    } catch (error) {
      return { ok: false, failure: describeFailure(error) };
    }
  }

  /**
   * Run one hook or one event through the component.
   * @param {import("../src/sandbox/user-code.ts").Call} call
   * @param {import("../src/sandbox/user-code.ts").Host} [host]
   * @returns {Promise<import("../src/sandbox/user-code.ts").Outcome>}
   */
  invoke(call, host) {
    return inCall(call, host, async (context) => {
      const component = await load();
      const self = buildInstance(component, context);
      if (call.kind === "hook") await component.hooks?.[call.hook]?.call(self);
      else await component.run.call(self, JSON.parse(call.event));
    });
  }
}
