import type { Account } from "./account.ts";
import { findSubdomain } from "./address.ts";
import type { Purpose } from "./api.ts";
import { type Check, IN_THE_WAY } from "./checks.ts";
import type { Config, Workers } from "./config.ts";
import { runningWorker } from "./release.ts";

/** The permissions that the token of a deployment needs, with the API's names without "Write" or "Edit" at the end. */
const EDITED = ["Workers Scripts", "D1", "Queues", "Workers R2 Storage"];

/** Check the token, the plan, and the account's features. */
export function accountChecks(account: Account, { platform }: Workers<Config>): Check[] {
  return [
    { subject: "permissions", isRequired: false, look: () => permissions(account) },
    { subject: "plan", isRequired: false, look: () => plan(account) },
    { subject: "Analytics Engine", isRequired: false, look: () => analytics(account, platform) },
    { subject: "workers.dev subdomain", isRequired: true, look: () => subdomain(account) },
    ...(platform.vars["EMAIL_FROM"]
      ? [{ subject: "mail", isRequired: false, look: () => mail(account, platform) }]
      : []),
  ];
}

type Token = { policies: { effect: string; permission_groups: { name: string }[] }[] };

/** A read shows that a token may read. Only a token with access to tokens shows its edit permissions. */
async function permissions({ api }: Account) {
  const needs = "API Tokens: Read";
  const verify: Purpose = { task: "verify the token", needs };
  const { id, status } = await api.get<{ id: string; status: string }>(
    "/user/tokens/verify",
    verify,
  );
  if (status !== "active") return { state: IN_THE_WAY, what: `the token is ${status}` };
  const show: Purpose = { task: "read the token's edit permissions", needs };
  const { policies } = await api.get<Token>(`/user/tokens/${id}`, show);
  const names = policies
    .filter(({ effect }) => effect === "allow")
    .flatMap(({ permission_groups: groups }) => groups.map(({ name }) => name));
  return EDITED.map((group) =>
    names.some((name) => name === `${group} Write` || name === `${group} Edit`)
      ? { state: "allowed", what: `${group}: Edit` }
      : { state: IN_THE_WAY, what: `the token lacks the permission "${group}: Edit"` },
  );
}

type Subscription = { rate_plan?: { id?: string; public_name?: string } };

async function plan({ id, api }: Account) {
  const purpose = { task: "show the account's subscriptions", needs: "Billing: Read" };
  const subscriptions = await api.get<Subscription[]>(`/accounts/${id}/subscriptions`, purpose);
  const ids = subscriptions.map(({ rate_plan: rate }) => rate?.id ?? "");
  if (ids.some((each) => /workers/.test(each) && !/free/.test(each)))
    return { state: "exists", what: "the Workers Paid plan" };
  const page = `https://dash.cloudflare.com/${id}/workers/plans`;
  return { state: IN_THE_WAY, what: `no Workers Paid plan: choose it at ${page}` };
}

/** Its API returns the same status for a disabled dataset and for a token without the permission. */
async function analytics(account: Account, { name, analytics_engine_datasets: sets = [] }: Config) {
  const what = "Analytics Engine";
  const { bindings } = await runningWorker(account, name);
  if (sets.every(({ binding }) => bindings.has(binding))) return { state: "exists", what };
  const query = `/accounts/${account.id}/analytics_engine/sql?query=SHOW%20TABLES`;
  if ((await account.api.status(query)) === 200) return { state: "exists", what };
  const page = `https://dash.cloudflare.com/${account.id}/workers/analytics-engine`;
  const why = `either it is not enabled (${page}), or the token lacks "Account Analytics: Read"`;
  return {
    state: "not known",
    what: `${what}: ${why}; a deployment checks it before its first change`,
  };
}

async function subdomain(account: Account) {
  const name = await findSubdomain(account);
  if (name) return { state: "exists", what: `workers.dev subdomain ${name}` };
  return { state: "would create", what: "a workers.dev subdomain" };
}

/** Before its domain is onboarded to Email Sending, mail reaches verified addresses of the account only. */
async function mail({ id, api }: Account, { vars }: Config) {
  const domain = vars["EMAIL_FROM"]?.split("@").at(-1) ?? "";
  const purpose = { task: "list the domains that send mail", needs: "Email Sending: Read" };
  const zones = await api.get<{ name: string }[]>(`/accounts/${id}/email/sending/zones`, purpose);
  if (zones.some(({ name }) => domain === name || domain.endsWith(`.${name}`)))
    return { state: "exists", what: `Email Sending for ${domain}` };
  const what = `mail: ${domain} is not onboarded to Email Sending, so only verified addresses receive any`;
  return { state: "not ready", what };
}
