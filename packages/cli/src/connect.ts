import { setTimeout as wait } from "node:timers/promises";

import type { Api } from "./api.ts";
import { openInBrowser } from "./browser.ts";
import { Failure } from "./failure.ts";
import { Refusal } from "./refusal.ts";
import { during } from "./terminal/progress.ts";
import type { Account } from "./wire.ts";

const POLL_MS = 2000;

type Wanted = { app: string; name?: string | undefined; known: readonly string[] };

type Link = { url: string; expires_at: number };

/** Let the user connect an account of an app in the browser. Returns its id once it is connected. */
export async function connectInBrowser(api: Api, { app, name, known }: Wanted): Promise<string> {
  const link = await linkFor(api, { app, ...(name !== undefined && { name }) });
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

async function linkFor(api: Api, body: { app: string; name?: string }): Promise<Link> {
  try {
    return await api.data<Link>("POST", "/accounts/authorize", { body });
  } catch (error) {
    if (!(error instanceof Refusal) || !error.issues.some(({ path }) => path === "app"))
      throw error;
    throw new Failure(error.message, {
      next: `give its credentials: wellspring accounts connect ${body.app} --credentials FILE`,
    });
  }
}
