import type { Credentials } from "#domain/accounts.ts";
import { filledBase, namesIn } from "#domain/app-templates.ts";
import type { ReturnedCredential } from "#domain/apps.ts";

/** The fields of a provider's response or callback, which is not trusted. */
export type ReturnedFields = Readonly<Record<string, unknown>>;

/** Maximum characters of a credential. */
const MAX_CHARACTERS = 10_000;

/**
 * The credentials that a provider returned beside its tokens: in its token response, or in the query of its callback.
 * Those that it left out are left out. `problem`: one of them names a host that requests with tokens may not go to.
 */
export function returnedCredentials(
  wanted: Readonly<Record<string, ReturnedCredential>>,
  returned: { token: ReturnedFields; query: ReturnedFields },
): { credentials: Credentials } | { problem: string } {
  const credentials: Credentials = {};
  for (const [name, { from, hosts }] of Object.entries(wanted)) {
    const [place, path] = from.startsWith("token.")
      ? [returned.token, from.slice("token.".length)]
      : [returned.query, from.slice("query.".length)];
    const value = valueAt(place, path);
    if (value === undefined || value.length > MAX_CHARACTERS) continue;
    if (hosts && !isAtHost(value, hosts)) return { problem: name };
    credentials[name] = value;
  }
  return { credentials };
}

/**
 * The URL of a token server with an account's values in it. Undefined: one is missing, or would choose a host that the
 * app does not have: the client's secret is sent to it.
 */
export function filledTokenUrl(
  template: string,
  values: Credentials,
  returned: Readonly<Record<string, ReturnedCredential>> = {},
): string | undefined {
  const isForeign = Object.entries(returned).some(
    ([name, { hosts }]) =>
      hosts && isNamedIn(template, name) && !isAtHost(valueAt(values, name) ?? "", hosts),
  );
  return isForeign ? undefined : filledBase(template, values);
}

/** Whether a template names a credential. */
function isNamedIn(template: string, name: string): boolean {
  return namesIn(template).includes(name);
}

/** The text or number at a path of a provider's response, such as `team.id`; undefined: there is none. */
export function valueAt(fields: ReturnedFields, path: string): string | undefined {
  const value = rawValueAt(fields, path);
  const isValue = typeof value === "number" || (typeof value === "string" && value !== "");
  return isValue ? String(value) : undefined;
}

/** The value of any type at a path of a provider's response. */
export function rawValueAt(fields: unknown, path: string): unknown {
  let value = fields;
  for (const name of path.split("."))
    value = Object.entries(value ?? {}).find(([key]) => key === name)?.[1];
  return value;
}

/** Whether a value is a host that a pattern allows, or the URL of one: over HTTPS, without a port, user or query. */
function isAtHost(value: string, patterns: readonly string[]): boolean {
  const [, host = ""] = /^(?:https:\/\/)?([a-z0-9.-]+)\/?$/i.exec(value) ?? [];
  const name = host.toLowerCase();
  return patterns.some((pattern) =>
    pattern.startsWith("*.")
      ? name.endsWith(pattern.slice(1)) && name.length >= pattern.length
      : name === pattern,
  );
}
