import type { Context } from "hono";
import { getCookie, setCookie } from "hono/cookie";

import { AUTHORIZATION_SECONDS } from "#domain/authorization.ts";
import { readInTime } from "#domain/body.ts";
import { RequestError } from "#domain/errors.ts";
import { newToken } from "#domain/ids.ts";

import type { AppEnv } from "../../env.ts";
import { FIELD_PREFIX } from "./views.ts";

/** Maximum size of a form, all fields together. */
const MAX_FORM_BYTES = 256 * 1024;

/** The values of an app's fields, trimmed. */
export async function fieldsIn(request: Request): Promise<Map<string, string>> {
  const bytes = await readInTime(request, MAX_FORM_BYTES);
  if (bytes === "late")
    throw new RequestError("request_timeout", "The form must arrive within 30 seconds");
  if (!bytes) throw new RequestError("too_large", "The form may have at most 256 KB");
  const form = new URLSearchParams(new TextDecoder().decode(bytes));
  const own = [...form].filter(([name]) => name.startsWith(FIELD_PREFIX));
  return new Map(own.map(([name, value]) => [name.slice(FIELD_PREFIX.length), value.trim()]));
}

/**
 * The identifier of a browser in its cookie, set now if missing. Only the browser that begins an authorization can end
 * it.
 */
export function nameBrowser(c: Context<AppEnv>): string {
  const known = browserOf(c) ?? "";
  const name = /^[0-9A-Za-z]{44}$/.test(known) ? known : newToken() + newToken();
  setCookie(c, cookieOf(c), name, {
    path: "/",
    httpOnly: true,
    sameSite: "Lax",
    secure: isSecure(c),
    maxAge: AUTHORIZATION_SECONDS,
  });
  return name;
}

/** The identifier of a browser, if it has one. */
export function browserOf(c: Context<AppEnv>): string | undefined {
  return getCookie(c, cookieOf(c));
}

/** Browsers accept the prefix, which keeps other hosts from setting the cookie, from secure origins only. */
function cookieOf(c: Context<AppEnv>): string {
  return isSecure(c) ? "__Host-wellspring-connect" : "wellspring-connect";
}

function isSecure(c: Context<AppEnv>): boolean {
  return c.var.platform.apiOrigin.startsWith("https:");
}
