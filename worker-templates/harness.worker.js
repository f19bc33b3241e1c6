// The harness around a user's component. It runs in that user's isolate and is the only interface to it. Exceptions of
// user code never cross it: outcomes are data.
// oxlint-disable-next-line import/no-unassigned-import -- it must be evaluated before the runtime's module.
import "./runtime-tap.worker.js";
import { WorkerEntrypoint } from "cloudflare:workers";

import { handOver, inCall, sizeOf } from "./call.worker.js";
import { definitionOf } from "./definition.worker.js";
// oxlint-disable-next-line import/no-unassigned-import -- it replaces a global.
import "./eval.worker.js";
import { describeFailure } from "./failure.worker.js";
import { buildInstance } from "./instance.worker.js";
import { jsonOf } from "./json.worker.js";
import { seedRandom } from "./load-random.worker.js";
import { EVALUATIONS, propsOf } from "./prop-evaluation.worker.js";
// The globals are replaced before the component's module is evaluated.
import {
  sealContext,
  takeEndOfIsolate,
  takeGarbageCollection,
  withoutExports,
} from "./runtime-seal.worker.js";
import { prepareStep, runStep } from "./step.worker.js";
import { rejectionsReported } from "./uncaught.worker.js";

// Packages replace globals when they are loaded.
const { clearTimeout, setTimeout } = globalThis;

/** A group of runs that takes longer returns its outcomes one by one. */
const QUICK_GROUP_MS = 5;

/** Maximum bytes of outcomes that are returned together. */
const MAX_AT_ONCE_BYTES = 8 * 1024 * 1024;

const endOfIsolate = takeEndOfIsolate();
const collectGarbage = takeGarbageCollection();

let loaded;
let isUsed = false;
/** JSON text of the definition, read before any other code ran. */
let described;

/** Evaluate the component's module, once per isolate. */
async function load() {
  isUsed = true;
  seedRandom();
  const module = await import("./component.js");
  const exported = module.default;
  // A transpiled CommonJS module has its default export one level down.
  const component = exported?.__esModule ? exported.default : exported;
  if (typeof component !== "object" || component === null)
    throw new TypeError("The module does not export a component object by default");
  loaded = component;
  return component;
}

const ISOLATE_USED = {
  name: "IsolateUsed",
  message: "The module was executed in this isolate before",
  stack: "",
};

export default class Harness extends WorkerEntrypoint {
  constructor(ctx, env) {
    super(ctx, env);
    sealContext(ctx);
  }

  /** A script must have a handler; its response shows that it can be called. No user code runs. */
  async fetch() {
    return new Response(null, { status: 404 });
  }

  /** End this idle isolate: the runtime frees it. Returns nothing. */
  async end() {
    endOfIsolate?.("It was idle");
  }

  /** Collect the garbage of this isolate. Returns nothing. */
  async collect() {
    collectGarbage?.();
  }

  /**
   * Execute the module and return its definition. An earlier call may have changed the module: `onlyIfUnused` refuses
   * then.
   * @param {boolean} [onlyIfUnused]
   * @returns {Promise<import("../src/sandbox/user-code.ts").Evaluation>}
   */
  async describe(onlyIfUnused = false) {
    if (onlyIfUnused && described !== undefined) return { ok: true, value: described };
    if (onlyIfUnused && isUsed) return { ok: false, failure: ISOLATE_USED };
    // Read before the component's module can change it.
    const stringify = Reflect.get(JSON, "stringify");
    try {
      const definition = definitionOf(await withoutExports(load));
      const value = jsonOf(definition, "The definition", stringify);
      if (onlyIfUnused) described = value;
      return { ok: true, value };
    } catch (error) {
      return { ok: false, failure: describeFailure(error) };
    }
  }

  /**
   * Evaluate the component's props, or the choices of one of them, with the current configuration.
   * @param {import("../src/sandbox/user-code.ts").PropRequest} request
   * @param {import("../src/sandbox/user-code.ts").DataStores} [stores]
   * @param {import("../src/sandbox/user-code.ts").Host} [host]
   * @returns {Promise<import("../src/sandbox/user-code.ts").Evaluation>}
   */
  async evaluateProps(request, stores, host) {
    let value = "null";
    if (!loaded) await ready();
    const { failure } = await inCall(request, { host, stores }, async (context) => {
      const returned = await EVALUATIONS[request.kind](loaded ?? (await load()), context);
      value = jsonOf(returned, request.kind === "options" ? "options()" : "additionalProps()");
    });
    return failure ? { ok: false, failure } : { ok: true, value };
  }

  /**
   * Run one hook or one event through the component.
   * @param {import("../src/sandbox/user-code.ts").Call} call
   * @param {import("../src/sandbox/user-code.ts").Host} [host]
   * @param {import("../src/sandbox/user-code.ts").DataStores} [stores]
   * @returns {Promise<import("../src/sandbox/user-code.ts").Outcome>}
   */
  invoke(call, host, stores) {
    return toTheEnd(invoke(call, { host, stores }));
  }

  /**
   * Run several events in one call, in order or side by side.
   * @param {import("../src/sandbox/user-code.ts").Call[]} calls
   * @param {boolean} inOrder
   * @param {import("../src/sandbox/user-code.ts").Sink} sink
   * @param {import("../src/sandbox/user-code.ts").DataStores} [stores]
   * @returns {Promise<import("../src/sandbox/user-code.ts").Outcome[]>}
   */
  async invokeAll(calls, inOrder, sink, stores) {
    const begin = (call, index) => invoke(call, { host: groupHost(sink, index), stores });
    const runs = inOrder ? chain(calls, begin) : calls.map(begin);
    const all = Promise.all(runs);
    if (await settlesWithin(all, QUICK_GROUP_MS)) {
      const outcomes = await toTheEnd(all);
      if (sumOf(outcomes) <= MAX_AT_ONCE_BYTES) return outcomes;
      for (const [index, outcome] of outcomes.entries()) await giveTo(sink, index, outcome);
      return [];
    }
    await Promise.all(runs.map(async (run, index) => giveTo(sink, index, await toTheEnd(run))));
    return [];
  }
}

// A component can import this module: it must not replace the methods other than runs.
for (const name of ["end", "collect"])
  Object.defineProperty(Harness.prototype, name, { writable: false, configurable: false });
Object.preventExtensions(Harness);

/** The host of one run of a group, which cannot respond to a request. */
function groupHost(sink, index) {
  return {
    fetch: (request) => sink.fetch(index, request),
    renewToken: (refused) => sink.renewToken(index, refused),
    respond: async () => {},
  };
}

function sumOf(outcomes) {
  return outcomes.reduce((sum, outcome) => sum + sizeOf(outcome), 0);
}

/** Return one outcome of a group. If it cannot be serialized, only its own run fails. */
async function giveTo(sink, index, outcome) {
  try {
    await sink.done(index, outcome);
  } catch (error) {
    if (
      !/^Serialized RPC|could not (?:be cloned|serialize)/i.test(
        /** @type {any} */ (error)?.message,
      )
    )
      throw error;
    const failure = describeFailure(error);
    await sink.done(index, { emitted: [], db: {}, logs: [], uncaught: [], failure });
  }
}

/** Wait for outcomes and for uncaught errors: once for all, because it takes a turn of the event loop. */
async function toTheEnd(outcomes) {
  const ended = await outcomes;
  await rejectionsReported();
  for (const outcome of Array.isArray(ended) ? ended : [ended]) handOver(outcome);
  return ended;
}

/**
 * Evaluate the module before a call begins: its changes of `process.env` belong to all calls, not to the first one. If
 * it throws, the call reports the error.
 */
async function ready() {
  await withoutExports(load).catch(() => {});
}

async function invoke(call, capabilities) {
  if (!loaded) await ready();
  return inCall(call, capabilities, async (context) => {
    const component = loaded ?? (await load());
    if (call.kind === "step") await prepareStep(context);
    const isExtended = call.instance.additional !== "";
    const props = isExtended ? await propsOf(component, context) : component.props;
    const self = buildInstance(component, context, props);
    if (call.kind === "step") await runStep(component, context, self);
    else if (call.kind === "hook") await component.hooks?.[call.hook]?.call(self);
    else await component.run.call(self, JSON.parse(call.event));
    // Of a response whose body is a stream.
    await context.responding;
  });
}

/** Begin each run after the end of the one before, with its writes to `db`. */
function chain(calls, begin) {
  const stored = new Map(Object.entries(calls[0].instance.db));
  /** @type {Promise<any>} */
  let before = Promise.resolve();
  return calls.map((call, index) => {
    before = before.then(async () => {
      const db = Object.fromEntries(stored);
      const outcome = await begin({ ...call, instance: { ...call.instance, db } }, index);
      for (const [key, value] of Object.entries(outcome.db)) {
        if (value === null) stored.delete(key);
        else stored.set(key, value);
      }
      return outcome;
    });
    return before;
  });
}

async function settlesWithin(promise, ms) {
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  const inTime = await Promise.race([promise.then(() => true), late]);
  clearTimeout(timer);
  return inTime;
}
