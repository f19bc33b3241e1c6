import type { Credentials } from "./accounts.ts";
import { filledBase, filledIn } from "./app-templates.ts";
import { type App, type AppRequest, type AppTest, mayReceive } from "./apps.ts";
import { UNCOMPRESSED } from "./body.ts";
import { rawValueAt, valueAt } from "./connect/returned-credentials.ts";
import { basicAuthorization, parsedFields } from "./oauth.ts";

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
  const filledParts = filledRequest(request, credentials);
  for (const [name, value] of filledParts.query) url.searchParams.set(name, value);
  const headers = { ...UNCOMPRESSED, ...Object.fromEntries(filledParts.headers) };
  return { url: url.href, method: "GET", headers };
}

/** The headers and the parameters that authorize a request; those with an unknown credential are left out. */
export function filledRequest(
  { headers, query, basic }: AppRequest,
  credentials: Credentials,
): { headers: [string, string][]; query: [string, string][] } {
  const [username, password] = [basic?.username, basic?.password].map((template) =>
    template === undefined ? undefined : filledIn(template, credentials),
  );
  const isBasic = username !== undefined && password !== undefined;
  return {
    headers: [
      ...filledEntries(headers, credentials),
      ...(isBasic
        ? [["authorization", basicAuthorization(username, password)] as [string, string]]
        : []),
    ],
    query: filledEntries(query, credentials),
  };
}

/**
 * What a provider's response to a test shows: whether it accepts the credentials, and the name of their account, if it
 * has one.
 */
export function testOutcome(
  { expect = {}, accountName }: Pick<AppTest, "accountName" | "expect">,
  text: string,
): { isAccepted: boolean; name?: string } {
  const body = parsedFields(text);
  const isAccepted = Object.entries(expect).every(
    ([path, value]) => JSON.stringify(rawValueAt(body, path)) === JSON.stringify(value),
  );
  const name = accountName === undefined ? undefined : valueAt(body, accountName);
  return { isAccepted, ...(name !== undefined && { name: name.slice(0, MAX_NAME) }) };
}

/** Maximum characters of an account's name. */
const MAX_NAME = 200;

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
