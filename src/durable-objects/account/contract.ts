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
  /** Whether the provider took the grant back: only connecting the account again helps. */
  dead: boolean;
  /** When its tokens were refreshed last. */
  refreshedAt: number | null;
  /** Why the last refresh failed; null: it did not. */
  error: string | null;
  /** The project's own client that it was connected by; null: the operator's. */
  oauthAppId: Id<"oauth_app"> | null;
};

/** The changes of a refresh to the row of its account: new tokens, or why there are none. */
export type RefreshRecord =
  | (Pick<AccountRecord, "credentials" | "expiresAt" | "refreshAt"> & {
      keyId: string;
      refreshedAt: number;
    })
  | { error: string; errorAt: number; dead: boolean };

/** How the tokens of an account are refreshed; the client secret is sealed for `place`. */
export type OauthSettings = TokenClient & { place: string[] };

/** The token endpoint of an app and how clients authenticate there, without a client. */
export type TokenEndpoint = Pick<TokenClient, "authentication" | "tokenUrl">;

/** The methods of `AccountObject` that others may call. */
export type AccountControl = {
  /** The credentials, for a component of this owner; an access token among them is refreshed where that is due. */
  credentials(ownerId: OwnerId): Promise<Granted>;
  /**
   * The access token in place of one that the provider refused: it is refreshed, unless that was done meanwhile. Null: the
   * refused one is not this account's, or there is none better.
   */
  tokenAfter(ownerId: OwnerId, refused: string): Promise<string | null>;
};
