import { appNamed, stateOf, stepsOf } from "../apps.ts";
import { type CommandOptions, operatorApiFor } from "../options.ts";
import { color, json, line } from "../terminal/output.ts";

/** Width of the column of names. */
const WIDTH = 14;

/** Show an app, and the steps until users can connect accounts of it. */
export async function showApp(slug: string, options: CommandOptions): Promise<void> {
  const api = await operatorApiFor(options);
  const app = await appNamed(api, slug);
  if (options.json) return json(app);
  const { guide } = app;
  const rows: [string, string | null | undefined][] = [
    ["name", app.name],
    ["slug", app.name_slug],
    ["kind", app.auth_type],
    ["state", stateOf(app)],
    ["client", app.client_id && `${app.client_id} (of ${app.client_app})`],
    ["redirect URI", app.redirect_uri],
    ["create it at", guide?.create_at],
    ["docs", guide?.docs],
  ];
  for (const [name, value] of rows) if (value) line(`${color.dim(name.padEnd(WIDTH))}${value}`);
  const steps = stepsOf(app);
  line(steps.length === 0 ? "\nIt needs no account." : "");
  for (const [index, step] of steps.entries()) line(`${index + 1}. ${step}`);
}
