import { stateOf } from "../apps.ts";
import { type CommandOptions, operatorApiFor } from "../options.ts";
import { json, table } from "../terminal/output.ts";
import type { App } from "../wire.ts";

/** List the apps whose name or slug contains a text, with their state. */
export async function listApps(
  q: string | undefined,
  options: CommandOptions & { limit: number },
): Promise<void> {
  const api = await operatorApiFor(options);
  const apps: App[] = [];
  for await (const app of api.rows<App>("/apps", { q }, options.limit)) apps.push(app);
  if (options.json) return json(apps);
  table(
    ["slug", "name", "kind", "state"],
    apps.map((app) => [app.name_slug, app.name, app.auth_type, stateOf(app)]),
  );
}
