import type { PropDefinition } from "./definition.ts";
import { type Id, isId } from "./ids.ts";
import { fromJson, type Json } from "./json.ts";
import type { Values } from "./props.ts";

/** The `$auth` of a component: keys and tokens by name. */
export type Credentials = Record<string, Json>;

/** Under these names an account keeps its user's own client at the provider; components and callers do not see it. */
export const OWN_CLIENT = { id: "$client_id", secret: "$client_secret" } as const;

/** An account's own client at the provider, if one connected it. */
export function ownClientIn({
  [OWN_CLIENT.id]: clientId,
  [OWN_CLIENT.secret]: clientSecret,
}: Credentials): { clientId: string; clientSecret: string } | undefined {
  const isWhole = typeof clientId === "string" && typeof clientSecret === "string";
  return isWhole ? { clientId, clientSecret } : undefined;
}

/** Credentials as components and callers see them. */
export function shownCredentials({
  [OWN_CLIENT.id]: _id,
  [OWN_CLIENT.secret]: _secret,
  ...shown
}: Credentials): Credentials {
  return shown;
}

/** The account that was chosen for an app prop. `app`: the slug that the prop names. */
export type ChosenAccount = { prop: string; app: Json | undefined; accountId: Id<"account"> };

/** Access tokens are refreshed this long before they expire; short-lived ones in the last quarter of their lifetime. */
const REFRESH_AHEAD_SECONDS = 300;

/** The fields of a prop that show whether it is an app. */
export type Declared = Pick<PropDefinition, "name" | "type"> & { app?: Json };

/** The accounts that app props are configured with: `{authProvisionId: "apn_…"}`. */
export function chosenAccounts(props: readonly Declared[], values: Values): ChosenAccount[] {
  return props.flatMap(({ name: prop, type, app }) => {
    const accountId = type === "app" ? accountIn(values[prop]) : undefined;
    return accountId === undefined ? [] : [{ prop, app, accountId }];
  });
}

/**
 * Values as an isolate receives them: an app prop with a granted account has its credentials (JSON text) as `$auth`.
 */
export function withAuth(values: Values, granted: ReadonlyMap<string, string>): Values {
  const apps = [...granted].map(([prop, auth]) => {
    const $auth = fromJson(auth);
    return [prop, { authProvisionId: accountIn(values[prop]) ?? null, $auth }];
  });
  return { ...values, ...Object.fromEntries(apps) };
}

/** The time to refresh the access token of an account, epoch seconds; null: never. */
export function refreshAtOf(
  { oauth_access_token: accessToken, oauth_refresh_token: refreshToken }: Credentials,
  { expiresAt, now }: { expiresAt: number | null; now: number },
): number | null {
  if (typeof refreshToken !== "string") return null;
  if (typeof accessToken !== "string") return now;
  // A token without an expiry: its lifetime is known only after the next refresh.
  if (expiresAt === null) return now;
  const lifetime = Math.max(expiresAt - now, 0);
  return expiresAt - Math.min(REFRESH_AHEAD_SECONDS, Math.floor(lifetime / 4));
}

function accountIn(value: Json | undefined): Id<"account"> | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { authProvisionId: id } = value;
  return typeof id === "string" && isId("account", id) ? id : undefined;
}
