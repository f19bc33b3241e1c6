import type { Api } from "../api.ts";
import { type CommandOptions, apiFor } from "../options.ts";
import { sourceNamed } from "../sources.ts";
import { json, line } from "../terminal/output.ts";
import type { Webhook } from "../wire.ts";

type Deletable = { id: string; name: string; path: string };

/** Delete sources and webhooks. Deletes none unless all exist. */
export async function remove(given: readonly string[], options: CommandOptions): Promise<void> {
  const api = await apiFor(options);
  const all = await Promise.all(given.map((one) => findDeletable(api, one)));
  for (const { id, name, path } of all) {
    await api.request("DELETE", path);
    if (!options.json) line(`Deleted ${name}  ${id}`);
  }
  if (options.json) json(all.map(({ id }) => ({ id, deleted: true })));
}

async function findDeletable(api: Api, given: string): Promise<Deletable> {
  if (!given.startsWith("wh_")) {
    const { id, name } = await sourceNamed(api, given);
    return { id, name, path: `/sources/${id}` };
  }
  const path = `/webhooks/${encodeURIComponent(given)}`;
  const { id, name, url } = await api.data<Webhook>("GET", path);
  return { id, name: name ?? url, path };
}
