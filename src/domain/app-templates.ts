import type { Credentials } from "./accounts.ts";
import type { Json } from "./json.ts";

/** A credential's name in a template. */
const NAME = /\{\{\s*([\w$]+)\s*\}\}/g;

/** The authority of a template with a literal scheme, and what follows a first name that includes the scheme. */
const AUTHORITY = /^(?:https?:\/\/|(\{\{\s*[\w$]+\s*\}\}))([^/?#\\]*)/i;

/** A value within a host's name, one at its end, and one that is a URL without a query: with literal text after it, an origin. */
const WITHIN = /^[a-z0-9.-]+$/i;
const AT_END = /^[a-z0-9.-]+(?::\d{1,5})?$/i;
const ORIGIN = /^https?:\/\/[a-z0-9.-]+$/i;
const BASE = /^https?:\/\/[a-z0-9.-]+(?::\d{1,5})?(?:\/[^?#\\]*)?$/i;

/** A template with its names replaced by credentials. Undefined: it names an unknown one. */
export function filledIn(template: string, credentials: Credentials): string | undefined {
  let isWhole = true;
  const text = filledWith(template, (name) => {
    const value = valueOf(credentials, name);
    if (value === undefined) isWhole = false;
    return value ?? "";
  });
  return isWhole ? text : undefined;
}

/** The names in a template. */
export function namesIn(template: string): string[] {
  return [...template.matchAll(NAME)].map(([, name = ""]) => name);
}

/** A template with its names replaced by values. */
export function filledWith(template: string, valueFor: (name: string) => string): string {
  return template.replaceAll(NAME, (_, name: string) => valueFor(name));
}

/** A base URL with credentials in it. Undefined: it names an unknown one, or one that would choose another host. */
export function filledBase(template: string, credentials: Credentials): string | undefined {
  return misplacedIn(template, credentials).length > 0
    ? undefined
    : filledIn(template, credentials);
}

/**
 * The names of credentials that may not stand in the host of a base URL: a user who types `evil.example/?` into
 * `https://{{shop}}.example.com` must not receive the secrets of others.
 */
export function misplacedIn(template: string, credentials: Credentials): string[] {
  const [, first, rest = ""] = AUTHORITY.exec(template) ?? [];
  const values = [...rest.matchAll(NAME)].map(({ 0: text, 1: name = "", index }) => {
    const isAtEnd = index + text.length === rest.length;
    return { name, rule: isAtEnd ? AT_END : WITHIN };
  });
  if (first !== undefined) {
    const [name = ""] = [...first.matchAll(NAME)].map(([, one]) => one);
    values.push({ name, rule: rest === "" ? BASE : ORIGIN });
  }
  return values
    .filter(({ name, rule }) => !rule.test(valueOf(credentials, name) ?? "a"))
    .map(({ name }) => name);
}

function valueOf(credentials: Credentials, name: string): string | undefined {
  const value: Json | undefined = Object.hasOwn(credentials, name) ? credentials[name] : undefined;
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}
