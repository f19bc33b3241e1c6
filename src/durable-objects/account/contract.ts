import type { OwnerId } from "#domain/ids.ts";

/** What an account grants a component of its owner: credentials, JSON text, until they are to be asked for again. */
export type Granted =
  | { ok: true; auth: string; staleAtMs: number }
  /** Why there are none: a clause that goes after the name of a prop. */
  | { ok: false; reason: string };

/** What may be asked of an account: the methods of `AccountObject`. */
export type AccountControl = {
  /** The credentials, for a component of this owner; an access token among them is refreshed where that is due. */
  credentials(ownerId: OwnerId): Promise<Granted>;
};
