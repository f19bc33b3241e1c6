/** The scopes of agents: read, run actions and connect accounts, subscribe to events. */
export const AGENT_KINDS = ["read", "act", "subscribe"] as const;
export type AgentKind = (typeof AGENT_KINDS)[number];

/** The grant of an agent's token. Undefined apps or accounts: all of its owner's. */
export type Grants = {
  kinds: ReadonlySet<AgentKind>;
  apps: ReadonlySet<string> | undefined;
  accounts: ReadonlySet<string> | undefined;
};

/** The scopes of a token without named ones. */
export const ALL_GRANTS: Grants = {
  kinds: new Set(AGENT_KINDS),
  apps: undefined,
  accounts: undefined,
};

/** Maximum length of a scope text: a hundred apps or accounts. */
export const MAX_SCOPE_LENGTH = 4000;

const APP = /^app:([\w.-]{1,200})$/;
const ACCOUNT = /^account:(apn_\w{1,100})$/;

/**
 * The grants in a scope text: `read`, `act` and `subscribe`, and `app:…` and `account:…` that narrow them, separated by
 * spaces. Undefined: it contains something else, or no kind.
 */
export function grantsIn(scope: string): Grants | undefined {
  const kinds = new Set<AgentKind>();
  const apps = new Set<string>();
  const accounts = new Set<string>();
  for (const word of scope.split(" ").filter(Boolean)) {
    const kind = AGENT_KINDS.find((name) => name === word);
    const [, app] = APP.exec(word) ?? [];
    const [, account] = ACCOUNT.exec(word) ?? [];
    if (kind !== undefined) kinds.add(kind);
    else if (app !== undefined) apps.add(app);
    else if (account !== undefined) accounts.add(account);
    else return undefined;
  }
  if (kinds.size === 0) return undefined;
  return { kinds, apps: someOf(apps), accounts: someOf(accounts) };
}

/** Grants as a scope text, which `grantsIn` reads. */
export function scopeOf({ kinds, apps, accounts }: Grants): string {
  return [
    ...AGENT_KINDS.filter((kind) => kinds.has(kind)),
    ...[...(apps ?? [])].map((app) => `app:${app}`),
    ...[...(accounts ?? [])].map((account) => `account:${account}`),
  ].join(" ");
}

/**
 * Whether grants allow a component with these apps. If the apps are limited, a component without any is not allowed: it
 * may send data anywhere.
 */
export function reachesApps({ apps }: Grants, used: readonly string[]): boolean {
  return apps === undefined || (used.length > 0 && used.every((app) => apps.has(app)));
}

/** Whether grants allow an account of an app. */
export function reachesAccount(
  { apps, accounts }: Grants,
  { id, app }: { id: string; app: string },
): boolean {
  return (accounts?.has(id) ?? true) && (apps?.has(app) ?? true);
}

/** The granted part of the requested scopes, never more; or the field that is invalid. */
export function narrowedGrants(requested: Grants, chosen: Grants): Grants | { problem: string } {
  const apps = narrower(requested.apps, chosen.apps);
  const accounts = narrower(requested.accounts, chosen.accounts);
  const kinds = chosen.kinds.intersection(requested.kinds);
  if (kinds.size === 0) return { problem: "kind" };
  if (apps === "none") return { problem: "apps" };
  return accounts === "none" ? { problem: "accounts" } : { kinds, apps, accounts };
}

function narrower(requested: Grants["apps"], chosen: Grants["apps"]): Grants["apps"] | "none" {
  if (!requested || !chosen) return chosen ?? requested;
  return someOf(chosen.intersection(requested)) ?? "none";
}

function someOf(names: ReadonlySet<string>): ReadonlySet<string> | undefined {
  return names.size > 0 ? names : undefined;
}
