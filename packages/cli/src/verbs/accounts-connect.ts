import type { Api } from "../api.ts";
import { connectInBrowser } from "../connect.ts";
import { jsonIn } from "../json-file.ts";
import { apiFor, type CommandOptions } from "../options.ts";
import { json, line } from "../terminal/output.ts";
import type { Account } from "../wire.ts";

type ConnectOptions = CommandOptions & { name?: string; credentials?: string };

/** Connect an account: by given credentials, else by signing in at its provider in the browser. */
export async function connectAccount(app: string, options: ConnectOptions): Promise<void> {
  const api = await apiFor(options);
  const account =
    options.credentials === undefined
      ? await signedIn(api, app, options.name)
      : await api.data<Account>("POST", "/accounts", {
          body: { app, name: options.name ?? app, credentials: await jsonIn(options.credentials) },
        });
  if (options.json) return json(account);
  line(`Connected ${account.name}  ${account.id}`);
}

async function signedIn(api: Api, app: string, name: string | undefined): Promise<Account> {
  const known: string[] = [];
  for await (const { id } of api.rows<Account>("/accounts", { app })) known.push(id);
  const id = await connectInBrowser(api, { app, name, known });
  return api.data("GET", `/accounts/${id}`);
}
