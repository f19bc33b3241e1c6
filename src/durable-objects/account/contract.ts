import type { Id, OwnerId } from "#domain/ids.ts";
import type { TokenClient } from "#domain/oauth.ts";
import type { Granted } from "#sandbox/accounts.ts";

/** As much of an account's row as its object needs. Times are epoch seconds; `credentials` are sealed. */
export type AccountRecord = {
  id: Id<"account">;
  ownerId: OwnerId;
  app: string;
  credentials: string;
  /** Changes with the credentials. */
  version: number;
  expiresAt: number | null;
  refreshAt: number | null;
};

/** What a refresh changes in the row of its account: new tokens, or why there are none. */
export type RefreshRecord =
  | (Pick<AccountRecord, "credentials" | "expiresAt" | "refreshAt"> & { keyId: string })
  | { error: string; errorAt: number };

/** How the tokens of an app are refreshed; the client secret is sealed. */
export type OauthSettings = TokenClient;

/** What may be asked of an account: the methods of `AccountObject`. */
export type AccountControl = {
  /** The credentials, for a component of this owner; an access token among them is refreshed where that is due. */
  credentials(ownerId: OwnerId): Promise<Granted>;
};
