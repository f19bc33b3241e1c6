import { exports } from "cloudflare:workers";

import { ORIGIN } from "./client.ts";

/** The response to a browser's request for a path, with optional headers. */
export async function visit(path: string, init: RequestInit = {}) {
  const response = await exports.default.fetch(`${ORIGIN}${path}`, { redirect: "manual", ...init });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text };
}

/** The response to a browser that submits the form of a page. */
export function fillIn(path: string, fields: Record<string, string>, headers = {}) {
  const named = Object.entries(fields).map(([name, value]) => [`field.${name}`, value]);
  return visit(path, {
    method: "POST",
    headers: { "sec-fetch-site": "same-origin", ...headers },
    body: new URLSearchParams(named),
  });
}
