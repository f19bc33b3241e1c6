// Evaluation of props for forms: the props from additionalProps(), and the options of a prop.
import { definitionOf } from "./definition.worker.js";
import { buildInstance } from "./instance.worker.js";
import {
  appFor,
  ownOf,
  propDefinitionOf,
  propEntries,
  resolveProp,
  spelledOut,
} from "./props.worker.js";

/** By kind: the component's return value, as plain data. */
export const EVALUATIONS = {
  async props(component, context) {
    return definitionOf(component, await allProps(component, context));
  },
  async configuration(component, context) {
    const props = await allProps(component, context);
    return definitionOf(component, await withEventNames(props, component, context));
  },
  async options(component, context) {
    const { prop: name, input } = context.call;
    const own = ownOf(component.props ?? {}, name);
    const declared = own ?? ownOf(await allProps(component, context), name);
    if (declared === undefined) return null;
    const self = buildInstance(component, context);
    const values = withStores(component, self, JSON.parse(context.call.instance.props));
    const found = optionsOf(name, spelledOut(name, declared), { component, self, values });
    const { page = 0, prevContext = {}, query } = JSON.parse(input);
    const { options, owner, inputs } = found;
    if (typeof options !== "function") return choicesIn(options);
    const search = resolveProp(name, declared).useQuery ? { query } : {};
    return choicesIn(await options.call(owner, { page, prevContext, ...search, ...inputs }));
  },
};

/**
 * All props of a component for its configured values: the declared ones, and those from additionalProps(). It gets
 * copies of the declared ones, and may change them: components hide a prop in this way.
 * @param {import("./props.worker.js").Component} component
 * @param {import("./call.worker.js").CallContext} context
 */
export async function allProps(component, context) {
  const declared = Object.fromEntries(
    propEntries(component.props).map(([name, prop]) => [name, { ...spelledOut(name, prop) }]),
  );
  if (typeof component.additionalProps !== "function") return declared;
  const added = JSON.parse(context.call.previous ?? "[]").filter(
    ({ name }) => !ownOf(declared, name),
  );
  const previous = Object.fromEntries(added.map(({ name, ...prop }) => [name, prop]));
  const self = buildInstance(component, context);
  const given = await component.additionalProps.call(self, { ...declared, ...previous });
  // Some components return `condition && props`.
  if (!given) return declared;
  if (typeof given !== "object" || Array.isArray(given))
    throw new TypeError("additionalProps() must return an object of props by name");
  return { ...declared, ...Object.fromEntries(propEntries(given)) };
}

const MAX_EVENT_NAMES = 1000;

/** Props of apphooks with their event names, which may depend on the configuration. */
async function withEventNames(props, component, context) {
  const named = { ...props };
  for (const [name, declared] of propEntries(props)) {
    const { type, eventNames } = resolveProp(name, declared);
    if (type !== "$.interface.apphook" || typeof eventNames !== "function") continue;
    const given = (await eventNames.call(buildInstance(component, context, props))) ?? [];
    if (!Array.isArray(given) || given.some((one) => typeof one !== "string"))
      throw new TypeError(`eventNames of ${name} must give an array of strings`);
    if (given.length > MAX_EVENT_NAMES)
      throw new RangeError(`eventNames of ${name} may give at most ${MAX_EVENT_NAMES} names`);
    named[name] = { ...declared, eventNames: given };
  }
  return named;
}

/**
 * The props for `this` of a run. Props added during the configuration are plain data; an app among them also has
 * methods, which additionalProps() must return again.
 * @param {import("./props.worker.js").Component} component
 * @param {import("./call.worker.js").CallContext} context
 */
export function propsOf(component, context) {
  const added = JSON.parse(context.call.instance.additional).map(({ name, ...prop }) => [
    name,
    prop,
  ]);
  const plain = { ...component.props, ...Object.fromEntries(added) };
  if (!added.some(([, { type }]) => type === "app")) return plain;
  return withApps(plain, component, context);
}

/** Evaluated once per isolate for the same values: it may send requests. */
const apps = new Map();
const MAX_REMEMBERED = 100;

async function withApps(plain, component, context) {
  const { props: values } = context.call.instance;
  if (!apps.has(values)) {
    const found = appsAmong(await allProps(component, context));
    if (apps.size >= MAX_REMEMBERED) apps.delete(apps.keys().next().value);
    apps.set(values, found);
  }
  return { ...plain, ...apps.get(values) };
}

function appsAmong(props) {
  return Object.fromEntries(Object.entries(props).filter(([, prop]) => prop?.type === "app"));
}

/** The configured props, with working data stores: a propDefinition may pass them to its options. */
function withStores({ props }, self, values) {
  const stores = propEntries(props)
    .filter(([name, declared]) => resolveProp(name, declared).type === "data_store" && self[name])
    .map(([name]) => [name, self[name]]);
  return { ...values, ...Object.fromEntries(stores) };
}

/** The options of a prop, with its `this`, and the inputs from its propDefinition. */
function optionsOf(name, prop, place) {
  const own = { options: prop.options, owner: place.self, inputs: {} };
  if (!prop.propDefinition) return own;
  const [app, , given] = prop.propDefinition;
  const self = appFor(app, place.component, place.self);
  const definition = spelledOut(name, propDefinitionOf(name, prop));
  const inherited = optionsOf(name, definition, { ...place, self });
  const inputs = typeof given === "function" ? given.call(place.self, place.values) : given;
  const found = prop.options === undefined ? inherited : { ...own, owner: within(self, place) };
  return { ...found, inputs: { ...inherited.inputs, ...inputs } };
}

/** Options that replace a definition's have its app as `this`, too; missing members are the component's. */
function within(app, { self }) {
  return app === self ? self : Object.create(self, Object.getOwnPropertyDescriptors(app));
}

function choicesIn(returned) {
  const given = returned ?? [];
  const { options, context } = Array.isArray(given) ? { options: given } : given;
  if (typeof given !== "object" || !Array.isArray(options))
    throw new TypeError("options() must return an array or an object with an array of options");
  const choices = options.filter((option) => option !== undefined && option !== null);
  return { options: choices.map(choiceOf), context: context ?? undefined };
}

function choiceOf(option) {
  if (typeof option !== "object") return { label: String(option), value: option };
  const { label, value = label ?? option } = option;
  return { label: labelOf(label ?? value), value };
}

function labelOf(value) {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
