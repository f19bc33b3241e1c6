import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";

import { app } from "#worker/http/app.ts";

import { ORIGIN } from "./client.ts";

/** The platform's response where its static assets are these, by their paths. */
export function served(path: string, files: Record<string, Response>): Promise<Response> {
  const ASSETS: Pick<Fetcher, "fetch"> = {
    fetch: (asked: RequestInfo | URL) => {
      const { pathname } = new URL(new Request(asked).url);
      return Promise.resolve(files[pathname] ?? new Response(null, { status: 404 }));
    },
  };
  const own = { ...env, ASSETS: ASSETS as Fetcher };
  return Promise.resolve(app.fetch(new Request(`${ORIGIN}${path}`), own, createExecutionContext()));
}

/** A response with a page. */
export const html = (text: string) =>
  new Response(text, { headers: { "content-type": "text/html" } });
