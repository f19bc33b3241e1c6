import type { Handler } from "hono";
import { html } from "hono/html";

import { RequestError } from "#domain/errors.ts";

import { assetResponse, PAGE_HEADERS } from "../assets.ts";
import type { AppEnv } from "../env.ts";

/** The build names the files of the page by their hashes, in this folder: nothing else there is a page. */
const BUILT = "/console/assets/";

/** Serves the console: its files, and its page at every other path, because the page reads the path itself. */
export const consoleFile: Handler<AppEnv> = async (c) => {
  if (new URL(c.req.url).pathname === "/console") return c.redirect("/console/");
  const file = await assetResponse(c);
  if (file) return file;
  if (c.req.path.startsWith(BUILT))
    throw new RequestError("not_found", `There is no file ${c.req.path}`);
  return (await assetResponse(c, "/console/")) ?? c.html(NOT_BUILT, 503, PAGE_HEADERS);
};

const NOT_BUILT = html`<!doctype html>
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="color-scheme" content="light dark" />
      <title>Wellspring</title>
    </head>
    <body>
      <h1>The console is not built</h1>
      <p>
        Run <code>npm run build:console</code>, and reload. <code>npm start</code> does it, too.
      </p>
    </body>
  </html>`;
