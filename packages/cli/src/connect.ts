import { setTimeout as wait } from "node:timers/promises";

import type { Api } from "./api.ts";
import { openInBrowser } from "./browser.ts";
import { Failure } from "./failure.ts";
import { during } from "./terminal/progress.ts";
import type { Account } from "./wire.ts";

const POLL_MS = 2000;

type Wanted = { app: string; name?: string | undefined; known: readonly string[] };

/** Let the user connect an account of an app in the browser. Returns its id once it is connected. */
export async function connectInBrowser(api: Api, { app, name, known }: Wanted): Promise<string> {
  const body = { app, ...(name !== undefined && { name }) };
  const link = await api.data<{ url: string; expires_at: number }>("POST", "/accounts/authorize", {
    body,
  });
  process.stderr.write(`Connect the account at ${link.url}\n`);
  openInBrowser(link.url);
  return during("Waiting for the account", async () => {
    while (Date.now() / 1000 < link.expires_at) {
      for await (const account of api.rows<Account>("/accounts", { app }))
        if (!known.includes(account.id)) return account.id;
      await wait(POLL_MS);
    }
    throw new Failure("The link has expired before an account was connected", {
      next: "repeat it for a new link",
    });
  });
}
