import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { AppSettings } from "#domain/connect/app-settings.ts";
import { CatalogueEntry, type LoadedEntry } from "#domain/connect/catalogue.ts";

import { ROOT } from "../local/settings.ts";
import type { AssetPart } from "./part.ts";

/** The folder with one folder for each app. */
const APPS = join(ROOT, "apps");

/** The apps that the platform knows, in one file. */
export const CATALOGUE: AssetPart = {
  name: "catalogue",
  command: "npm run build:catalogue",
  inputs: ["apps", "src/domain/connect", "tools/scripts/assets"],
  async write(folder) {
    const entries = await readEntries();
    const loaded = Object.entries(entries).map(([slug, entry]) => loadedEntry(slug, entry));
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "apps.json"), JSON.stringify(loaded));
  },
};

/** The entries of the catalogue by slug. Rejects for an invalid one, with its file and the rule. */
export async function readEntries(): Promise<Record<string, CatalogueEntry>> {
  const slugs = (await readdir(APPS)).toSorted();
  const entries = slugs.map(async (slug) => {
    const file = join(APPS, slug, "app.json");
    const parsed = CatalogueEntry.safeParse(JSON.parse(await readFile(file, "utf8")));
    if (parsed.success) return [slug, parsed.data] as const;
    const [issue] = parsed.error.issues;
    throw new Error(`apps/${slug}/app.json: ${issue?.path.join(".")}: ${issue?.message}`);
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** An entry without the proofs of its facts. */
function loadedEntry(slug: string, entry: CatalogueEntry): LoadedEntry {
  const { aliases, family, docs, client } = entry;
  const settings = AppSettings.parse(
    Object.fromEntries(Object.entries(entry).filter(([name]) => name in AppSettings.shape)),
  );
  const guide = { docs, ...(client && { client }) };
  return { slug, aliases, ...(family !== undefined && { family }), settings, guide };
}
