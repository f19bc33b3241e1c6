import type { Id, OwnerId } from "#domain/ids.ts";
import type { TokenClient } from "#domain/oauth.ts";
import type { Granted } from "#sandbox/accounts.ts";

/** The part of an account's row that its object needs. Times are epoch seconds; `credentials` are sealed. */
export type AccountRecord = {
  id: Id<"account">;
  ownerId: OwnerId;
  app: string;
  credentials: string;
  /** Changes with the credentials. */
  version: number;
  expiresAt: number | null;
  refreshAt: number | null;
  /** Whether the provider revoked the grant: only reconnecting the account helps. */
  dead: boolean;
  /** The time of the last refresh of its tokens. */
  refreshedAt: number | null;
  /** The error of the last refresh; null: it succeeded. */
  error: string | null;
  /** The project's own client that connected it; null: the operator's. */
  oauthAppId: Id<"oauth_app"> | null;
};

/** The changes of a refresh to the row of its account: new tokens, or the reason why there are none. */
export type RefreshRecord =
  | (Pick<AccountRecord, "credentials" | "expiresAt" | "refreshAt"> & {
      keyId: string;
      refreshedAt: number;
    })
  | { error: string; errorAt: number; dead: boolean };

/** The settings for refreshing tokens of an account; the client secret is sealed for `place`. */
export type OauthSettings = TokenClient & { place: string[] };

/** The token endpoint of an app and its method of client authentication, without a client. */
export type TokenEndpoint = Pick<
  TokenClient,
  "authentication" | "returned" | "revokeUrl" | "style" | "tokenUrl"
>;

/** The methods of `AccountObject` that others may call. */
export type AccountControl = {
  /** The credentials, for a component of this owner; an access token among them is refreshed if that is due. */
  credentials(ownerId: OwnerId): Promise<Granted>;
  /**
   * The access token that replaces one that the provider refused: it is refreshed, unless that was done meanwhile.
   * Null: the refused one is not this account's, or there is none better.
   */
  tokenAfter(ownerId: OwnerId, refused: string): Promise<string | null>;
  /**
   * Revoke the grant at the provider, if the app has a URL for it, before the account of this owner is deleted. Best
   * effort within a few seconds: it logs the outcome, and never rejects.
   */
  revoke(ownerId: OwnerId): Promise<void>;
};
