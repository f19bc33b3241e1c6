import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";

import { app } from "#worker/http/app.ts";

import { ORIGIN } from "./client.ts";

/** The platform's response with these static assets, by their paths. */
export function served(path: string, files: Record<string, Response>): Promise<Response> {
  const ASSETS: Pick<Fetcher, "fetch"> = {
    fetch: (input: RequestInfo | URL) => {
      const { pathname } = new URL(new Request(input).url);
      return Promise.resolve(files[pathname] ?? new Response(null, { status: 404 }));
    },
  };
  const own = { ...env, ASSETS: ASSETS as Fetcher };
  return Promise.resolve(app.fetch(new Request(`${ORIGIN}${path}`), own, createExecutionContext()));
}

/** A response with an HTML page. */
export const html = (text: string) =>
  new Response(text, { headers: { "content-type": "text/html" } });
