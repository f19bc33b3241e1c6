import { type CommandOptions, apiFor } from "../options.ts";
import { sourceNamed } from "../sources.ts";
import { json, line } from "../terminal/output.ts";

/** Delete sources. Deletes none unless all exist. */
export async function remove(given: readonly string[], options: CommandOptions): Promise<void> {
  const api = await apiFor(options);
  const sources = await Promise.all(given.map((one) => sourceNamed(api, one)));
  for (const { id, name } of sources) {
    await api.request("DELETE", `/sources/${id}`);
    if (!options.json) line(`Deleted ${name}  ${id}`);
  }
  if (options.json) json(sources.map(({ id }) => ({ id, deleted: true })));
}
