import { openInBrowser } from "../browser.ts";
import { pageOf } from "../console-page.ts";
import { type CommandOptions, apiFor } from "../options.ts";
import { sourceNamed } from "../sources.ts";
import { json, line } from "../terminal/output.ts";

/** Open the platform's console, or its documentation if it has none, and print the URL. */
export async function open(given: string | undefined, options: CommandOptions): Promise<void> {
  const api = await apiFor(options);
  const source = given === undefined ? undefined : await sourceNamed(api, given);
  const url = await pageOf(api.url, source?.id);
  if (options.json) json({ url });
  else line(url);
  openInBrowser(url);
}
