import { type CommandOptions, apiFor } from "../options.ts";
import { sourceNamed } from "../sources.ts";
import { json, line } from "../terminal/output.ts";
import type { Source } from "../wire.ts";

/** Activate or deactivate a source. */
export async function activate(
  given: string,
  active: boolean,
  options: CommandOptions,
): Promise<void> {
  const api = await apiFor(options);
  const { id } = await sourceNamed(api, given);
  const source = await api.data<Source>("PUT", `/sources/${id}`, { body: { active } });
  if (options.json) return json(source);
  line(`${active ? "Resumed" : "Paused"} ${source.name}  ${source.id}`);
}
