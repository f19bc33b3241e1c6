import { pageOfAccounts } from "#db/accounts.ts";
import { reachesAccount } from "#domain/agent-grants.ts";
import type { AccountChoice } from "#domain/prop-schema.ts";

import type { AgentContext } from "./context.ts";

/** Maximum accounts of an app in a response to an agent. */
const MAX_OFFERED = 50;

/** The accounts that an agent may use for these apps, newest first. */
export async function accountsFor(
  { db, grants, owner }: Pick<AgentContext, "db" | "grants" | "owner">,
  apps: readonly string[],
): Promise<AccountChoice[]> {
  const pages = await Promise.all(
    apps.map((app) => {
      const request = { limit: MAX_OFFERED, after: undefined, before: undefined };
      return pageOfAccounts(db, { owner, app }, request);
    }),
  );
  return pages
    .flatMap(({ items }) => items)
    .filter((account) => !account.dead && reachesAccount(grants, account))
    .map(({ id, app, name }) => ({ id, app, name }));
}
