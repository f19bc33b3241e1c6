import { type CommandOptions, apiFor } from "../options.ts";
import { endpointsOf, sourceNamed } from "../sources.ts";
import { color, json, line, timeOf } from "../terminal/output.ts";
import type { Component, Subscription } from "../wire.ts";

/** Width of the column of names. */
const WIDTH = 14;

/** Show a source: its component, props, endpoints and listeners. */
export async function describe(given: string, options: CommandOptions): Promise<void> {
  const api = await apiFor(options);
  const source = await sourceNamed(api, given);
  const [component, { data: subscriptions }] = await Promise.all([
    api.data<Component>("GET", `/components/${source.component_id}`),
    api.request<{ data: Subscription[] }>("GET", "/users/me/subscriptions"),
  ]);
  const listeners = subscriptions.filter(({ emitter_id }) => emitter_id === source.id);
  if (options.json) {
    const { id, name, version } = component;
    return json({ ...source, component: { id, name, version }, listeners });
  }
  const rows = [
    ["name", source.name],
    ["id", source.id],
    ["component", `${component.name} ${component.version} (${component.id})`],
    ["active", source.active ? "yes" : "no"],
    ["created", timeOf(source.created_at * 1000)],
    ["updated", timeOf(source.updated_at * 1000)],
    ...endpointsOf(source).map((endpoint) => ["endpoint", endpoint]),
    ...Object.entries(source.configured_props).map(([name, value]) => [
      `prop ${name}`,
      JSON.stringify(value),
    ]),
    ...listeners.map(({ listener_id, event_name }) => [
      "listener",
      `${listener_id}${event_name ? ` (${event_name})` : ""}`,
    ]),
  ];
  for (const [name = "", value = ""] of rows) line(`${color.dim(name.padEnd(WIDTH))}${value}`);
  if (listeners.length === 0) line("No webhook or workflow listens to it.");
}
