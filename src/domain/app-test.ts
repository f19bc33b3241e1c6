import type { Credentials } from "./accounts.ts";
import { filledBase, filledIn } from "./app-templates.ts";
import { type App, mayReceive } from "./apps.ts";
import { UNCOMPRESSED } from "./body.ts";

/** A request without a body. */
export type TestRequest = { url: string; method: "GET"; headers: Record<string, string> };

/**
 * The request that shows whether the provider accepts credentials. Undefined: none is configured, a credential that it
 * needs is missing, or it would send them to a host that the app does not name.
 */
export function testRequest(
  { test, request }: Pick<App, "request" | "test">,
  credentials: Credentials,
): TestRequest | undefined {
  if (!test) return undefined;
  const base = request.baseUrl === undefined ? undefined : filledBase(request.baseUrl, credentials);
  const filled = filledIn(test.url, credentials);
  if (filled === undefined || !URL.canParse(filled, base)) return undefined;
  const url = new URL(filled, base);
  const hosts = [...request.hosts, ...fixedHost(test.url)];
  if (!mayReceive({ ...request, hosts }, credentials, url)) return undefined;
  for (const [name, value] of filledEntries(request.query, credentials))
    url.searchParams.set(name, value);
  const headers = {
    ...UNCOMPRESSED,
    ...Object.fromEntries(filledEntries(request.headers, credentials)),
  };
  return { url: url.href, method: "GET", headers };
}

/** The host of a URL, unless it is a template: the template's author chose it. */
function fixedHost(template: string): string[] {
  const [, host] = /^https?:\/\/([^/?#{}]+)(?:[/?#]|$)/i.exec(template) ?? [];
  return host === undefined ? [] : [host.toLowerCase()];
}

function filledEntries(
  templates: Readonly<Record<string, string>>,
  credentials: Credentials,
): [string, string][] {
  return Object.entries(templates).flatMap(([name, template]) => {
    const value = filledIn(template, credentials);
    return value === undefined ? [] : [[name, value]];
  });
}
