import { apiFor, type CommandOptions } from "../options.ts";
import { json, line } from "../terminal/output.ts";

/** Withdraw a version of a component; deployed sources and workflows keep running. */
export async function unpublish(
  key: string,
  version: string,
  options: CommandOptions,
): Promise<void> {
  const api = await apiFor(options);
  const path = `/registry/${encodeURIComponent(key)}/versions/${encodeURIComponent(version)}`;
  await api.request("DELETE", path);
  if (options.json) return json({ key, version, unpublished: true });
  line(`Unpublished ${key} ${version}`);
}
