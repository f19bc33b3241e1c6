// Reads a component object into plain data. Props are known by executing the module, never by parsing it.
import { buildDataStore } from "./data-store.worker.js";
import { bindMethods, buildApp, resolveProp } from "./props.worker.js";

const HOOKS = ["deploy", "activate", "deactivate"];

/** All that a component says of itself, without functions; given values, with the props additionalProps() adds. */
export async function definitionOf(component, values, stores) {
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
    dynamic: typeof component.additionalProps === "function",
    props: plainProps(await allProps(component, values, stores)),
  };
}

async function allProps(component, values, stores) {
  const declared = component.props ?? {};
  if (!values || typeof component.additionalProps !== "function") return declared;
  const self = { ...values };
  for (const [name, prop] of Object.entries(declared)) {
    const resolved = resolveProp(name, prop);
    if (resolved.type === "app") self[name] = buildApp(resolved, values[name]);
    if (resolved.type === "data_store" && values[name])
      self[name] = buildDataStore((request) => stores.ask(name, request));
  }
  bindMethods(self, component.methods);
  return { ...declared, ...(await component.additionalProps.call(self, { ...declared })) };
}

// The insides of an app object: kept in the isolate.
const NOT_SHOWN = new Set(["methods", "propDefinitions"]);

function plainProps(props) {
  return Object.entries(props).map(([name, declared]) => {
    const shown = { name };
    for (const [field, value] of Object.entries(resolveProp(name, declared))) {
      if (field === "options" && typeof value === "function") shown.remoteOptions = true;
      else if (!NOT_SHOWN.has(field) && typeof value !== "function") shown[field] = value;
    }
    return shown;
  });
}
