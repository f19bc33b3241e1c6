import type { Account } from "./account.ts";
import type { Config } from "./config.ts";
import type { Report } from "./report.ts";

/**
 * Choose the place of components: scripts of the dispatch namespace, if the account has one and the Worker a token to
 * upload them; otherwise the Worker Loader, with a reported reason.
 */
export function withUserCode(
  account: Pick<Account, "id">,
  { config, hasToken }: { config: Config; hasToken: boolean },
  report: Report,
): Config {
  const [name] = (config.dispatch_namespaces ?? []).map(({ namespace }) => namespace);
  if (name !== undefined && !hasToken)
    report.note("not used", `dispatch namespace ${name}: ${HINT}`);
  const used = hasToken ? (name ?? "") : "";
  report.note("components", used ? `run in the namespace ${used}` : "run in the Worker Loader");
  const vars = {
    USER_CODE: used ? "dispatch" : "loader",
    DISPATCH_NAMESPACE: used,
    CLOUDFLARE_ACCOUNT_ID: account.id,
  };
  return { ...config, vars: { ...config.vars, ...vars } };
}

const HINT = `set DISPATCH_API_TOKEN to a token with "Workers Scripts: Edit" for components to run in it`;
