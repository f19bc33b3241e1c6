// Builds the `this` of a component: one object of props, methods, app objects and capabilities.
import { inspect } from "node:util";

import { keepTokens } from "./access-token.worker.js";
import { keepEmission, untilSettled } from "./call.worker.js";
import { buildDataStore } from "./data-store.worker.js";
import { CallEnded } from "./fetch.worker.js";
import { buildHttpRequest } from "./http-request.worker.js";
import { jsonOf } from "./json.worker.js";
import { bindMethods, buildApp, ownOf, propEntries, resolveProp, setOwn } from "./props.worker.js";
import { respondOnce } from "./respond.worker.js";

const MAX_EMIT_BYTES = 1024 * 1024;

/**
 * The `this` of `run`, hooks, `options` and `additionalProps`. `props`: all of them by name, if there are more than the
 * component declares.
 * @param {import("./props.worker.js").Component} component
 * @param {import("./call.worker.js").CallContext} context
 * @param {Record<string, any>} [props]
 * @returns {Record<string, any>}
 */
export function buildInstance(component, context, props = component.props) {
  const { instance } = context.call;
  const values = JSON.parse(instance.props);
  keepTokens(context, values);
  const self = { ...values };
  for (const [name, declared] of propEntries(props)) {
    const prop = resolveProp(name, declared);
    const value = ownOf(values, name);
    setOwn(self, name, ownOf(BUILDERS, prop.type)?.(prop, value, context, name) ?? value);
    if (isService(prop) || isUnconfigured(prop, value)) hide(self, name);
  }
  for (const [name, endpoint] of Object.entries(instance.endpoints)) {
    setOwn(self, name, { endpoint, respond: (given) => respondAtOnce(context, given) });
    hide(self, name);
  }
  addMethods(self, component, context);
  return self;
}

/**
 * Keep a method named `run` apart from the component's own `run`, which may call it.
 * @param {any} self
 * @param {import("./props.worker.js").Component} component
 * @param {import("./call.worker.js").CallContext} context
 */
function addMethods(self, { run, methods }, context) {
  const own = { ...(typeof run === "function" && { run }), ...methods };
  bindMethods(self, own);
  self.$emit = (event, meta) => emit(context, event, meta);
  for (const name of [...Object.keys(own), "$emit"]) hide(self, name);
}

/** Whether a prop is a capability of the platform, rather than a configured value. */
function isService({ type }) {
  return typeof type === "string" && type.startsWith("$.");
}

/** Whether a prop has an object of the platform's on `this` although nobody configured it. */
function isUnconfigured({ type, optional }, value) {
  return type === "dir" || (type === "app" && optional === true && value === undefined);
}

/**
 * Not enumerable: components send the rest of `this` (`const { app, ...fields } = this`), which must contain only
 * values.
 */
function hide(self, name) {
  Object.defineProperty(self, name, { enumerable: false });
}

const BUILDERS = {
  app: (prop, value) => buildApp(prop, value),
  "$.service.db": (_prop, _value, { db }) => ({
    get: (key) => db.get(key),
    set: (key, value) => db.set(key, value),
  }),
  http_request: (_prop, value) => value && buildHttpRequest(value),
  // The place for files for later steps; the platform deletes them with the run.
  dir: () => ({ path: "/tmp" }),
  data_store: (_prop, value, context, name) =>
    value && buildDataStore((request) => callStore(context, name, request)),
};

async function callStore(context, name, request) {
  if (context.ended) throw new CallEnded("A request to a data store");
  return untilSettled(context, context.stores.perform(name, request));
}

function emit(context, event, meta = {}) {
  const payload = jsonOf(event, "$emit") ?? "null";
  if (payload.length > MAX_EMIT_BYTES || Buffer.byteLength(payload) > MAX_EMIT_BYTES)
    throw new RangeError(
      `$emit: an event may have at most 1 MB of JSON, this one has ${Buffer.byteLength(payload)} bytes`,
    );
  const { id, name, summary, ts, delivery_ts: deliveryTs } = meta ?? {};
  if (typeof name === "string" && name.startsWith("$"))
    throw new RangeError(
      `$emit: the channel name "${name}" begins with $, which is kept for the platform`,
    );
  keepEmission(context, {
    payload,
    emittedAtMs: Date.now(),
    ...present("id", id, (given) => textOf("id", given)),
    ...present("name", name, (given) => textOf("name", given)),
    ...present("summary", summary, String),
    ...present("ts", milliseconds(ts), Number),
    ...present("deliveryTs", milliseconds(deliveryTs), Number),
  });
}

/** Text of an id or of a channel. Objects would all become the same one. */
function textOf(field, given) {
  if (typeof given === "object" || typeof given === "function")
    throw new TypeError(
      `$emit: ${field} must be text or a number, not ${inspect(given).slice(0, 100)}`,
    );
  return String(given);
}

function present(key, value, convert) {
  return value === undefined || value === null ? {} : { [key]: convert(value) };
}

/** A `ts` is epoch milliseconds; dates and their text are accepted too, any other value counts as absent. */
function milliseconds(ts) {
  if (ts === undefined || ts === null || ts === "") return undefined;
  const ms = typeof ts === "string" && Number.isNaN(Number(ts)) ? Date.parse(ts) : Number(ts);
  return Number.isFinite(ms) ? Math.trunc(ms) : undefined;
}

/** The caller gets its response while `run` continues; if that message fails, the outcome still contains the response. */
function respondAtOnce(context, given) {
  const send = (response) => void context.host?.respond(response).catch(() => {});
  return respondOnce(context, given, { what: "respond", send });
}
