import { Refusal } from "../local/refusal.ts";
import { type Api, openApi } from "./api.ts";
import { wrangler } from "./wrangler.ts";

/** A Cloudflare account and a way to speak about it. */
export type Account = { id: string; token: string; api: Api };

/** The account that CLOUDFLARE_API_TOKEN or `wrangler login` opens, and CLOUDFLARE_ACCOUNT_ID chooses. */
export async function openAccount(
  environment: Record<string, string | undefined>,
  open: (token: string) => Api = openApi,
): Promise<Account> {
  const token = environment["CLOUDFLARE_API_TOKEN"] || (await loginToken());
  const api = open(token);
  const id = environment["CLOUDFLARE_ACCOUNT_ID"] || (await onlyAccount(api));
  return { id, token, api };
}

async function loginToken(): Promise<string> {
  try {
    const { token } = readToken(await wrangler("tell its token", ["auth", "token", "--json"]));
    if (token) return token;
  } catch {
    // Whatever the reason, what helps is to log in.
  }
  throw new Refusal(
    "Nobody is logged in to Cloudflare. Run: npx wrangler login, or set CLOUDFLARE_API_TOKEN; then run the same command again.",
  );
}

function readToken(output: string): { token?: string } {
  return JSON.parse(output.slice(output.indexOf("{")));
}

async function onlyAccount(api: Api): Promise<string> {
  const accounts = await api.get<{ id: string; name: string }[]>("/accounts?per_page=50", {
    task: "list the accounts of this token",
    needs: "Account Settings: Read",
  });
  const [first] = accounts;
  if (first && accounts.length === 1) return first.id;
  if (!first) throw new Refusal("This token opens no account. Set CLOUDFLARE_ACCOUNT_ID.");
  const list = accounts.map(({ id, name }) => `  ${id}  ${name}`).join("\n");
  throw new Refusal(
    `This token opens several accounts. Set CLOUDFLARE_ACCOUNT_ID to one of:\n${list}`,
  );
}
