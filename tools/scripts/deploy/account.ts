import { Refusal } from "../local/refusal.ts";
import { type Api, openApi } from "./api.ts";
import { wrangler } from "./wrangler.ts";

/** A Cloudflare account and its API client. */
export type Account = { id: string; token: string; api: Api };

type Variables = Record<string, string | undefined>;

/** The account that CLOUDFLARE_API_TOKEN or `wrangler login` gives access to, and CLOUDFLARE_ACCOUNT_ID selects. */
export async function openAccount(
  environment: Variables,
  open: (token: string) => Api = (token) => openApi(token, reachingIn(environment)),
): Promise<Account> {
  const token = checkedToken(
    environment["CLOUDFLARE_API_TOKEN"] || (await loginToken(environment)),
  );
  const api = open(token);
  const id = environment["CLOUDFLARE_ACCOUNT_ID"] || (await onlyAccount(api));
  if (!/^[0-9a-f]{32}$/.test(id))
    throw new Refusal(`CLOUDFLARE_ACCOUNT_ID must be 32 hexadecimal digits, not "${id}".`);
  return { id, token, api };
}

/** The API's base URL, from the same variable as wrangler's. */
function reachingIn({ CLOUDFLARE_API_BASE_URL: base }: Variables): { base?: string } {
  return base ? { base } : {};
}

/** A header cannot contain every character, and the failure would look like an API that does not respond. */
function checkedToken(token: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new Refusal("CLOUDFLARE_API_TOKEN contains a space or another invalid character.");
}

async function loginToken(environment: Variables): Promise<string> {
  try {
    const args = ["auth", "token", "--json"];
    const { token } = readToken(await wrangler("print its token", args, environment));
    if (token) return token;
  } catch {
    // Whatever the reason, logging in helps.
  }
  throw new Refusal(
    "Log in to Cloudflare with: npx wrangler login, or set CLOUDFLARE_API_TOKEN; then run the same command again.",
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
  if (!first)
    throw new Refusal("This token gives access to no account. Set CLOUDFLARE_ACCOUNT_ID.");
  const list = accounts.map(({ id, name }) => `  ${id}  ${name}`).join("\n");
  throw new Refusal(
    `This token gives access to several accounts. Set CLOUDFLARE_ACCOUNT_ID to one of:\n${list}`,
  );
}
