import { apiFor, type CommandOptions } from "../options.ts";
import { json, line } from "../terminal/output.ts";

/** Delete an account; with `force` also if sources or workflows use it. */
export async function deleteAccount(
  id: string,
  options: CommandOptions & { force?: boolean },
): Promise<void> {
  const api = await apiFor(options);
  const query = options.force ? { force: "true" } : {};
  await api.request("DELETE", `/accounts/${encodeURIComponent(id)}`, { query });
  if (options.json) return json({ id, deleted: true });
  line(`Deleted ${id}`);
}
