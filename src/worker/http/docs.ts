import type { Handler } from "hono";
import { html } from "hono/html";

import { RequestError } from "#domain/errors.ts";

import { adminDocument } from "./admin/router.ts";
import { connectDocument } from "./connect/router.ts";
import { type Document, operationsOf } from "./document.ts";
import type { AppEnv } from "./env.ts";
import { v1Document } from "./v1/router.ts";

/**
 * People type API keys into the reference, and look at pages of one origin with it: whatever these run can send nothing
 * anywhere else. Themes set styles by attributes.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

const PAGE_HEADERS = {
  "content-security-policy": POLICY,
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
};

/** The build names these files after their contents. */
const HASHED = /^\/docs\/assets\//;

const IMMUTABLE = "public, max-age=31536000, immutable";

/** What the reference shows, and where it fetches that. */
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

/** Serves a file of the documentation site; `path` is its path where the request has another. */
export function siteFile(path?: string): Handler<AppEnv> {
  return async (c) => {
    const url = new URL(c.req.url);
    if (path !== undefined) url.pathname = path;
    const file = await c.env.ASSETS.fetch(new Request(url, c.req.raw));
    if (file.status === 404) {
      await file.body?.cancel();
      throw new RequestError("not_found", `There is no page ${c.req.path}`);
    }
    // What comes from a binding cannot be changed, and middleware adds headers.
    const response = new Response(file.body, file);
    for (const [name, value] of Object.entries(PAGE_HEADERS)) response.headers.set(name, value);
    if (HASHED.test(url.pathname) && file.ok) response.headers.set("cache-control", IMMUTABLE);
    return response;
  };
}

/** Serves the document of the operator plane to the reference; the plane itself asks for its token. */
export const operatorDocument: Handler<AppEnv> = (c) => c.json(adminDocument());

/**
 * Serves the reference of all documents. The page has a plain list of all operations; the script that `npm run build:docs`
 * brings takes its place, where it is there and runs.
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
