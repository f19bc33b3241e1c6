import { appNamed, stateOf, stepsOf } from "../apps.ts";
import { type CommandOptions, operatorApiFor } from "../options.ts";
import { color, json, line } from "../terminal/output.ts";
import type { App } from "../wire.ts";

/** Width of the column of names. */
const WIDTH = 14;

/** Show an app, and the steps until users can connect accounts of it. */
export async function showApp(slug: string, options: CommandOptions): Promise<void> {
  const api = await operatorApiFor(options);
  const app = await appNamed(api, slug);
  if (options.json) return json(app);
  for (const [name, value] of rowsOf(app))
    if (value) line(`${color.dim(name.padEnd(WIDTH))}${value}`);
  const steps = stepsOf(app);
  line(steps.length === 0 ? "\nIt needs no account." : "");
  for (const [index, step] of steps.entries()) line(`${index + 1}. ${step}`);
}

/** The facts of an app by their names; some may be absent. */
function rowsOf(app: App): [string, string | null | undefined][] {
  const { client_id: client, client_app: slug, guide } = app;
  return [
    ["name", app.name],
    ["slug", app.name_slug],
    ["kind", app.auth_type],
    ["state", stateOf(app)],
    ["client", client === null ? null : `${client} (of ${slug})`],
    ["redirect URI", app.redirect_uri],
    ["create it at", guide?.create_at],
    ["docs", guide?.docs],
  ];
}
