import { apiFor, type CommandOptions } from "../options.ts";
import { json, line, table } from "../terminal/output.ts";

type SearchOptions = CommandOptions & { app?: string; type?: string; limit: number };

type Found = {
  key: string | null;
  id: string;
  type: string;
  version: string;
  name: string;
  license: string | null;
};

/** Find components of the registries that the user may see. */
export async function search(words: readonly string[], options: SearchOptions): Promise<void> {
  const api = await apiFor(options);
  const query = { query: words.join(" "), app: options.app, type: options.type };
  const found: Found[] = [];
  for await (const row of api.rows<Found>("/components/search", query, options.limit))
    found.push(row);
  if (options.json) return json(found);
  if (found.length === 0) return line(`No component matches ${query.query}`);
  table(
    ["key", "type", "version", "name", "licence"],
    found.map(({ key, id, type, version, name, license }) => [
      key ?? id,
      type,
      version,
      name,
      license ?? "",
    ]),
  );
}
