import type { Api } from "../api.ts";
import { type Choice, chosen } from "../component/choice.ts";
import { configure } from "../component/configure.ts";
import type { Values } from "../component/values.ts";
import { misuse } from "../failure.ts";
import { type CommandOptions, apiFor } from "../options.ts";
import { endpointsOf } from "../sources.ts";
import { json, line } from "../terminal/output.ts";
import { during } from "../terminal/progress.ts";
import type { Component, Source } from "../wire.ts";

type DeployOptions = CommandOptions & { prop?: string[]; name?: string; shards?: number };

/** Deploy a source, or change the one with the given name. */
export async function deploy(given: string, options: DeployOptions): Promise<void> {
  const choice = await chosen(given);
  const api = await apiFor(options);
  const component = await during("Building the component", () => componentOf(api, choice));
  if (component.component_type === "action")
    throw misuse(`${given} is an action`, `run it: wellspring run ${given}`);
  const existing = options.name === undefined ? undefined : await namedSource(api, options.name);
  const known = existing ? valuesKept(existing, component) : {};
  const values = await configure(api, component, options.prop ?? [], known);
  const body = {
    component_id: component.id,
    configured_props: changed(values, known),
    // Absent options are absent in JSON.
    name: options.name,
    shards: options.shards,
  };
  const source = await during("Deploying the source", () =>
    existing
      ? api.data<Source>("PUT", `/sources/${existing.id}`, { body })
      : api.data<Source>("POST", "/sources", { body }),
  );
  if (options.json) return json(source);
  line(`${existing ? "Changed" : "Deployed"} ${source.name}  ${source.id}`);
  for (const endpoint of endpointsOf(source)) line(`endpoint  ${endpoint}`);
}

/** The named component; files are saved as a new one. */
export async function componentOf(api: Api, choice: Choice): Promise<Component> {
  if ("key" in choice) return api.data("GET", `/components/${encodeURIComponent(choice.key)}`);
  if ("component_id" in choice) return api.data("GET", `/components/${choice.component_id}`);
  return api.data("POST", "/components", { body: choice });
}

async function namedSource(api: Api, name: string): Promise<Source | undefined> {
  for await (const source of api.rows<Source>("/users/me/sources"))
    if (source.name === name || source.name_slug === name) return source;
  return undefined;
}

/** The current values of a source, including secrets, which are never shown. */
function valuesKept({ configured_props }: Source, { configurable_props }: Component): Values {
  const secrets = configurable_props.filter(({ secret }) => secret);
  return { ...Object.fromEntries(secrets.map(({ name }) => [name, null])), ...configured_props };
}

function changed(values: Values, known: Values): Values {
  const fresh = Object.entries(values).filter(([name, value]) => value !== known[name]);
  return Object.fromEntries(fresh);
}
