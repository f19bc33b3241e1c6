import { accountsAfter, resealAccount } from "../db/accounts.ts";
import { allOauthApps, resealOauthApp } from "../db/oauth-apps.ts";
import { sourcesAfter } from "../db/sources.ts";
import { keyIdOf } from "../vault/envelope.ts";
import type { Platform } from "./context.ts";

/** How many secrets were brought under the current master key, by what holds them. */
export type Rewrapped = { accounts: number; oauthApps: number; sources: number };

const ROWS_AT_ONCE = 50;

/**
 * Wrap the data keys of every stored secret anew, under the current master key: of accounts, OAuth apps and sources.
 * What was encrypted stays as it is. It may break off and begin again; done, none of these needs an older key any more.
 */
export async function rewrapSecrets(ctx: Platform): Promise<Rewrapped> {
  return {
    accounts: await rewrapAccounts(ctx),
    oauthApps: await rewrapOauthApps(ctx),
    sources: await rewrapSources(ctx),
  };
}

async function rewrapAccounts(ctx: Platform): Promise<number> {
  let count = 0;
  for (let after = 0; ;) {
    const rows = await accountsAfter(ctx.db, after, ROWS_AT_ONCE);
    for (const { id, ownerId, credentials } of rows) {
      const sealed = await ctx.vault.rewrap(credentials, ["account", id, ownerId]);
      if (sealed === undefined) continue;
      const renewed = { credentials: sealed, keyId: keyIdOf(sealed) };
      if (await resealAccount(ctx.db, { id, credentials }, renewed)) count += 1;
    }
    const last = rows.at(-1);
    if (!last) return count;
    after = last.seq;
  }
}

async function rewrapOauthApps(ctx: Platform): Promise<number> {
  let count = 0;
  for (const { app, clientSecret } of await allOauthApps(ctx.db)) {
    const sealed = await ctx.vault.rewrap(clientSecret, ["oauth_app", app]);
    if (sealed === undefined) continue;
    const renewed = { clientSecret: sealed, keyId: keyIdOf(sealed) };
    if (await resealOauthApp(ctx.db, { app, clientSecret }, renewed)) count += 1;
  }
  return count;
}

/** Only its object has what a source is configured with. */
async function rewrapSources(ctx: Platform): Promise<number> {
  let count = 0;
  for (let after = 0; ;) {
    const rows = await sourcesAfter(ctx.db, after, ROWS_AT_ONCE);
    const rewrapped = await Promise.all(rows.map(({ id }) => ctx.sources(id).rewrap()));
    count += rewrapped.filter(Boolean).length;
    const last = rows.at(-1);
    if (!last) return count;
    after = last.seq;
  }
}
