import { Refusal } from "../local/refusal.ts";
import type { Account } from "./account.ts";
import { ApiFailure } from "./api.ts";
import type { Config } from "./config.ts";
import type { Report } from "./report.ts";

const NEEDS = "Workers Scripts: Edit";

/** The API's error code for an account without a subdomain, by which wrangler recognizes it. */
const NO_SUBDOMAIN = 10_007;

/**
 * Resolve the origin at which callers reach the Worker: the operator's hostname if PUBLIC_URL is set, otherwise the
 * Worker's name under the account's workers.dev subdomain, which is created if missing. EVENTS_URL sets a separate
 * hostname for endpoints.
 */
export async function addressed(account: Account, config: Config, report: Report): Promise<Config> {
  const wished = config.vars["PUBLIC_URL"];
  const { EVENTS_URL: events } = config.vars;
  const own = wished ? [atHostname("PUBLIC_URL", wished)] : [];
  const apart = events ? [atHostname("EVENTS_URL", events)] : [];
  if (events && events === wished)
    throw new Refusal("EVENTS_URL must be another origin than PUBLIC_URL.");
  const routes = [...own, ...apart];
  // Workflows require the account to have one, even if it serves nothing there.
  const subdomain = await subdomainOf(account, report);
  if (wished) return { ...config, routes, workers_dev: false, preview_urls: false };
  const origin = `https://${config.name}.${subdomain}.workers.dev`;
  const vars = { ...config.vars, PUBLIC_URL: origin };
  const more = { ...(routes.length > 0 && { routes }), workers_dev: true, preview_urls: false };
  return { ...config, vars, ...more };
}

/** The route of a custom hostname, whose zone must be on the account; Cloudflare creates its DNS record. */
function atHostname(name: string, origin: string): object {
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  if (url?.protocol !== "https:" || url.origin !== origin)
    throw new Refusal(`${name} must be an https origin without a path, not "${origin}".`);
  return { pattern: url.hostname, custom_domain: true };
}

async function subdomainOf({ id, api }: Account, report: Report): Promise<string> {
  const path = subdomainPath(id);
  const known = await findSubdomain({ id, api });
  if (known) {
    report.note("exists", `workers.dev subdomain ${known}`);
    return known;
  }
  // Subdomains are unique among all accounts, and so is this one.
  const subdomain = `wellspring-${id.slice(0, 8)}`;
  await report.change("create", `workers.dev subdomain ${subdomain}`, () =>
    api.put(
      path,
      { subdomain },
      { task: `create the workers.dev subdomain ${subdomain}`, needs: NEEDS },
    ),
  );
  return subdomain;
}

/** Find the workers.dev subdomain of an account; undefined: it has none. Throws an ApiFailure. */
export async function findSubdomain({
  id,
  api,
}: Pick<Account, "id" | "api">): Promise<string | undefined> {
  const purpose = { task: "look for the workers.dev subdomain", needs: NEEDS };
  try {
    const { subdomain } = await api.get<{ subdomain: string | null }>(subdomainPath(id), purpose);
    return subdomain ?? undefined;
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    if (error.status === 404 || error.codes.includes(NO_SUBDOMAIN)) return undefined;
    throw error;
  }
}

const subdomainPath = (account: string): string => `/accounts/${account}/workers/subdomain`;
