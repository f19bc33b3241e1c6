import type { Context } from "hono";
import { html, raw } from "hono/html";
import type { ContentfulStatusCode } from "hono/utils/http-status";

import type { AppEnv } from "../../env.ts";
import { SCRIPT } from "./script.ts";
import { STYLE } from "./style.ts";

export type Markup = ReturnType<typeof html>;

/** A page of the connect flow. All inserted text is escaped. */
export type Page = {
  title: string;
  main: Markup;
  status?: ContentfulStatusCode;
  /** Whether it is a dialog over a page of the customer's product. */
  isFramed?: boolean;
  /** The origins of the pages that may embed it; `any`: all secure contexts. */
  frames?: readonly string[] | "any";
  /** The input of its script: attributes of `body` by name. */
  data?: Record<string, string | undefined>;
  /** The target of an immediate redirect: a URL that was checked when it was stored. */
  next?: string | undefined;
  /** Whether its forms send their origin: if the session of a browser counts, not only its URL. */
  namesOrigin?: boolean;
};

/**
 * Send a page that no cache stores and that loads nothing from other origins. Its URL, with the token, is sent to no
 * other server.
 */
export async function sendPage(c: Context<AppEnv>, page: Page): Promise<Response> {
  const nonce = crypto.getRandomValues(new Uint8Array(16)).toBase64();
  const { title, main, status = 200, isFramed = false, data = {}, next } = page;
  c.header("Content-Security-Policy", policyOf(nonce, page.frames ?? []));
  c.header("Cache-Control", "no-store");
  c.header("Referrer-Policy", page.namesOrigin === true ? "same-origin" : "no-referrer");
  c.header("X-Robots-Tag", "noindex");
  const attributes = Object.entries(data).map(([name, value]) =>
    value === undefined ? "" : html` data-${raw(name)}="${value}"`,
  );
  const text = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        ${next === undefined ? "" : html`<meta http-equiv="refresh" content="0;url=${next}" />`}
        <style nonce="${nonce}">
          ${raw(STYLE)}
        </style>
      </head>
      <body class="${isFramed ? "framed" : ""}" ${attributes}>
        <main>${main}</main>
        <script nonce="${nonce}">
          ${raw(SCRIPT)};
        </script>
      </body>
    </html>`;
  return c.html(text, status);
}

function policyOf(nonce: string, frames: NonNullable<Page["frames"]>): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "img-src data:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    `frame-ancestors ${ancestorsOf(frames)}`,
  ].join("; ");
}

function ancestorsOf(frames: NonNullable<Page["frames"]>): string {
  if (frames === "any") return "https: http://localhost:* http://127.0.0.1:*";
  return frames.length === 0 ? "'none'" : frames.join(" ");
}
