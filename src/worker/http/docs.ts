import type { Handler } from "hono";
import { html } from "hono/html";

import { RequestError } from "#domain/errors.ts";

import { adminDocument } from "./admin/router.ts";
import { assetResponse, PAGE_HEADERS } from "./assets.ts";
import { connectDocument } from "./connect/router.ts";
import { type Document, operationsOf } from "./document.ts";
import type { AppEnv } from "./env.ts";
import { v1Document } from "./v1/router.ts";

/** The documents of the reference, and their URLs. */
const REFERENCES = [
  { title: "API", slug: "v1", url: "/v1/openapi.json", document: v1Document },
  {
    title: "Connect API",
    slug: "connect",
    url: "/v1/connect/openapi.json",
    document: connectDocument,
  },
  { title: "Operator API", slug: "admin", url: "/docs/api/admin.json", document: adminDocument },
];

/** Serves a file of the documentation site; `path`: its path, if it differs from the request's. */
export function siteFile(path?: string): Handler<AppEnv> {
  return async (c) => {
    const file = await assetResponse(c, path);
    if (!file) throw new RequestError("not_found", `There is no page ${c.req.path}`);
    return file;
  };
}

/** Serves the OpenAPI document of the admin API to the reference; the admin API itself requires its token. */
export const operatorDocument: Handler<AppEnv> = (c) => c.json(adminDocument());

/**
 * Serves the reference of all documents. The page has a plain list of all operations; the script of `npm run
 * build:docs` replaces it, if it exists and runs.
 */
export const referencePage: Handler<AppEnv> = (c) => {
  const sources = REFERENCES.map(({ title, slug, url }) => ({ title, slug, url }));
  const lists = REFERENCES.map(({ url, document }) => listOf(document(), url));
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>Wellspring API reference</title>
        <link rel="icon" href="data:," />
      </head>
      <body>
        <div id="app" data-sources="${JSON.stringify(sources)}">
          <main>
            <p><a href="/docs/">Documentation</a></p>
            ${lists}
          </main>
        </div>
        <script src="/docs/api/scalar.js"></script>
        <script src="/docs/api/start.js"></script>
      </body>
    </html>`;
  return c.html(page, 200, PAGE_HEADERS);
};

function listOf(document: Document, url: string) {
  const { paths = {}, info, servers = [] } = document;
  const rows = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(operationsOf(item)).map(
      ([method, { summary }]) =>
        html`<li><code>${method.toUpperCase()} ${servers[0]?.url}${path}</code> ${summary}</li>`,
    ),
  );
  return html`<h1>${info.title}</h1>
    <p>The whole contract: <a href="${url}">${url}</a></p>
    <ul>
      ${rows}
    </ul>`;
}
