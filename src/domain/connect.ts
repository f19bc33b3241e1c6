/** The environments of a project. Accounts, users and triggers of the two never mix. */
export const ENVIRONMENTS = ["development", "production"] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

/** The scopes of a token, by the names that clients request. `*` includes all, `…:*` all of a kind. */
const SCOPES = new Set([
  "*",
  "connect:*",
  ...[
    "accounts",
    "actions",
    "app_overrides",
    "apps",
    "components",
    "deployed_triggers",
    "file_stash",
    "oauth_apps",
    "projects",
    "proxy",
    "tokens",
    "triggers",
    "usage",
    "users",
    "webhook",
    "workflow",
  ].flatMap((kind) => ["*", "read", "write"].map((verb) => `connect:${kind}:${verb}`)),
  "connect:tokens:create",
  "connect:workflow:invoke",
]);

/** The scopes in a text, separated by spaces. Undefined: there is none, or an unknown one. */
export function scopesIn(text: string): string[] | undefined {
  const scopes = text.split(" ").filter(Boolean);
  return scopes.length > 0 && scopes.every((name) => SCOPES.has(name)) ? scopes : undefined;
}

/** Lifetime of an OAuth client's access token, in seconds. */
export const ACCESS_TOKEN_SECONDS = 3600;

/** Default and maximum lifetime of a connect token, in seconds. */
export const CONNECT_TOKEN_SECONDS = 4 * 3600;

/** The prefix of connect tokens. */
export const CONNECT_TOKEN_PREFIX = "ctok_";

/** Whether scopes, separated by spaces, allow to read or write a kind of resource. */
export function allows(scope: string, kind: string, verb: "read" | "write"): boolean {
  const granted = new Set(scope.split(" "));
  return (
    ["*", "connect:*", `connect:${kind}:*`, `connect:${kind}:${verb}`].some((name) =>
      granted.has(name),
    ) ||
    (verb === "write" && (SPECIAL[kind] ?? []).some((name) => granted.has(name)))
  );
}

/** The scopes among these that exceed others, separated by spaces: a token grants no more than the one that made it. */
export function exceedingScopes(scopes: readonly string[], granted: string): string[] {
  const has = new Set(granted.split(" "));
  if (has.has("*") || has.has("connect:*")) return [];
  return scopes.filter((scope) => {
    const [, kind = "", verb = ""] = scope.split(":");
    const covers = [scope, `connect:${kind}:*`];
    if (verb === "create" || verb === "invoke") covers.push(`connect:${kind}:write`);
    return !covers.some((name) => has.has(name));
  });
}

const SPECIAL: Record<string, string[]> = {
  tokens: ["connect:tokens:create"],
  workflow: ["connect:workflow:invoke"],
};
