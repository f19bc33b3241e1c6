import { env } from "cloudflare:workers";

import type { LoadedEntry } from "#domain/connect/catalogue.ts";

/** Let the platform know these apps: the catalogue of the repository changes, and is built or not. */
export function useCatalogue(entries: readonly LoadedEntry[]): void {
  const assets: Pick<Fetcher, "fetch"> = {
    fetch: async (input) => {
      const { pathname } = new URL(new Request(input).url);
      const isCatalogue = pathname === "/catalogue/apps.json";
      return isCatalogue ? Response.json(entries) : new Response(null, { status: 404 });
    },
  };
  Reflect.set(env, "ASSETS", assets);
}
