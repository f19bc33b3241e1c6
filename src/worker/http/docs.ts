import { Scalar } from "@scalar/hono-api-reference";
import type { Handler } from "hono";
import { html } from "hono/html";

import { type Document, operationsOf } from "./document.ts";
import type { AppEnv } from "./env.ts";

/** Pinned: what a page of ours runs does not change behind our back. */
const SCRIPT = "https://cdn.jsdelivr.net/npm/@scalar/api-reference@1.72.1";

/** People type API keys into this page: whatever it runs can send them nowhere but here. */
const POLICY = "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/**
 * The reference page of a document. It holds a plain index of all operations, which is what a browser without a way
 * to the script's host shows; where the script loads, it takes the index's place.
 */
export function referencePage(document: () => Document, url: string): Handler<AppEnv> {
  return async (c, next) => {
    const about = document();
    const { title } = about.info;
    const page = await Scalar<AppEnv>({
      url,
      cdn: SCRIPT,
      pageTitle: title,
      withDefaultFonts: false,
    })(c, next);
    if (!page) throw new Error("The reference page was not rendered");
    const text = await page.text();
    const index = await indexOf(about, url);
    c.header("Content-Security-Policy", POLICY);
    return c.html(text.replace(`<div id="app"></div>`, () => `<div id="app">${index}</div>`));
  };
}

function indexOf(document: Document, url: string) {
  const { paths = {}, info, servers = [] } = document;
  const rows = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(operationsOf(item)).map(
      ([method, { summary }]) =>
        html`<li><code>${method.toUpperCase()} ${servers[0]?.url}${path}</code> ${summary}</li>`,
    ),
  );
  return html`<main>
    <h1>${info.title}</h1>
    <p>The whole contract: <a href="${url}">${url}</a></p>
    <ul>
      ${rows}
    </ul>
  </main>`;
}
