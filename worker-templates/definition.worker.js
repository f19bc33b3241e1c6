// Reads a component object into plain data. Props are determined by executing the module, never by parsing it.
import { authReads } from "./auth.worker.js";
import { propEntries, resolveProp, setOwn } from "./props.worker.js";

const HOOKS = ["deploy", "activate", "deactivate"];

/**
 * The definition of a component, without functions; `props` may be more than it declares.
 * @param {import("./props.worker.js").Component} component
 * @param {Record<string, any>} [props]
 */
export function definitionOf(component, props = component.props ?? {}) {
  const { name, version, type = "source", key, description, dedupe } = component;
  return {
    name,
    version,
    type,
    key,
    description,
    dedupe,
    runs: typeof component.run === "function",
    hooks: HOOKS.filter((hook) => typeof component.hooks?.[hook] === "function"),
    dynamic: typeof component.additionalProps === "function" || needsEventNames(component),
    sampleEmit: plain(component.sampleEmit),
    annotations: plain(component.annotations),
    props: plainProps(component, props),
    names: namesIn(component, props),
  };
}

/** The names that a component uses, to detect misspelled ones. */
function namesIn(component, props) {
  return {
    component: Object.keys(component),
    hooks: Object.keys(component.hooks ?? {}),
    shapes: { props: shapeOf(component.props), hooks: shapesOf(component.hooks) },
    props: propEntries(props).map(([name, declared]) => {
      const prop = resolveProp(name, declared);
      return { name, type: prop.type, fields: Object.keys(prop) };
    }),
  };
}

/** What a member of a component is, so that one that cannot be meant is refused. */
function shapeOf(value) {
  if (value === undefined || value === null) return "absent";
  return Array.isArray(value) ? "list" : typeof value;
}

/** The hooks by name, or what they are if they are not an object. */
function shapesOf(hooks) {
  const shape = shapeOf(hooks);
  if (shape !== "object") return shape;
  return Object.fromEntries(HOOKS.map((hook) => [hook, shapeOf(hooks[hook])]));
}

/**
 * Whether the events that trigger a source depend on its configuration.
 * @param {import("./props.worker.js").Component} component
 */
function needsEventNames({ props }) {
  return propEntries(props).some(([name, declared]) => {
    const { type, eventNames } = resolveProp(name, declared);
    return type === "$.interface.apphook" && typeof eventNames === "function";
  });
}

/** Fields for people must not make a definition too large, or fail. */
const MAX_EXTRA_LENGTH = 64 * 1024;

function plain(value) {
  try {
    const text = JSON.stringify(value) ?? "";
    return text === "" || text.length > MAX_EXTRA_LENGTH ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

// The members of an app object stay in the isolate.
const NOT_SHOWN = new Set(["methods", "propDefinitions"]);

function plainProps(component, props) {
  return propEntries(props).map(([name, declared]) => {
    const shown = { name };
    const prop = resolveProp(name, declared);
    for (const [field, value] of Object.entries(prop)) {
      if (field === "options" && typeof value === "function") shown.remoteOptions = true;
      else if (!NOT_SHOWN.has(field) && typeof value !== "function") setOwn(shown, field, value);
    }
    if (prop.type === "app") shown.auth = authReads(component, name, prop);
    return shown;
  });
}
