import type { LoadedEntry } from "#domain/connect/catalogue.ts";
import { CatalogueEntry } from "#domain/connect/catalogue.ts";

const FILES = import.meta.glob("../../apps/*/app.json", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** The entries of the catalogue, by slug. */
export const ENTRIES = new Map(
  Object.entries(FILES).map(([path, entry]) => {
    const [, slug = ""] = /apps\/([^/]+)\//.exec(path) ?? [];
    return [slug, CatalogueEntry.parse(JSON.parse(entry))];
  }),
);

/** Entries as the platform loads them, with each host of a token server below another origin. */
export function loadedAt(origin: string): LoadedEntry[] {
  return [...ENTRIES].map(([slug, { aliases, family, ...entry }]) => ({
    slug,
    aliases,
    ...(family !== undefined && { family }),
    settings: {
      ...entry,
      oauth: entry.oauth && { ...entry.oauth, ...movedTo(origin, entry.oauth) },
    },
  }));
}

function movedTo(
  origin: string,
  {
    token_url,
    refresh_url,
    revoke_url,
  }: { token_url: string } & { [Name in "refresh_url" | "revoke_url"]?: string | undefined },
) {
  return {
    token_url: movedUrl(origin, token_url),
    ...(refresh_url !== undefined && { refresh_url: movedUrl(origin, refresh_url) }),
    ...(revoke_url !== undefined && { revoke_url: movedUrl(origin, revoke_url) }),
  };
}

/** A URL below another origin: its host and its path are the path there. */
export function movedUrl(origin: string, url: string): string {
  return `${origin}/${url.replace("https://", "").replace("?", "/query/")}`;
}
