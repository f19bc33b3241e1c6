import { apiFor, type CommandOptions } from "../options.ts";
import { json, table } from "../terminal/output.ts";
import type { Account } from "../wire.ts";

/** List the connected accounts. */
export async function listAccounts(
  options: CommandOptions & { app?: string; limit: number },
): Promise<void> {
  const api = await apiFor(options);
  const accounts: Account[] = [];
  const rows = api.rows<Account>("/accounts", { app: options.app }, options.limit);
  for await (const account of rows) accounts.push(account);
  if (options.json) return json(accounts);
  table(
    ["id", "app", "name", "healthy"],
    accounts.map(({ id, app, name, healthy }) => [id, app, name, healthy ? "yes" : "no"]),
  );
}
