import type { CursorPosition } from "#domain/page.ts";

import { type CursorList, openCursor, sealCursor } from "./cursors.ts";
import { isSignedEndpointKey, signEndpointKey } from "./endpoint-keys.ts";
import { open, type Place, rewrap, seal } from "./envelope.ts";
import { type Keyring, openKeyring } from "./keyring.ts";

/** Seals secrets as text that may be stored anywhere, and opens them. */
export type Vault = {
  /** Encrypt a text for its place. Throws without a master key. */
  seal(text: string, place: Place): Promise<string>;
  /** Decrypt a sealed text. Throws if it was modified or moved, or its master key is missing. */
  open(sealed: string, place: Place): Promise<string>;
  /** Rewrap a sealed text with the current master key; undefined if it already is. */
  rewrap(sealed: string, place: Place): Promise<string | undefined>;
  /** The cursor of a position in a list. */
  sealCursor(position: CursorPosition, list: CursorList): Promise<string>;
  /** The position that `read` finds in the text of a list's cursor; undefined: it is none of this list. */
  openCursor<T>(
    cursor: string,
    list: CursorList,
    read: (text: string) => T | undefined,
  ): Promise<T | undefined>;
  /** Complete the key of an endpoint with its signature. */
  signEndpointKey(unsigned: string): Promise<string>;
  /** Whether the key of an endpoint has the signature of this deployment. */
  isSignedEndpointKey(key: string): Promise<boolean>;
};

type Variables = { MASTER_KEY?: string; PREVIOUS_MASTER_KEYS?: string };

/** The vault of a deployment's master keys, which are read at the first use. */
export function openVault({ MASTER_KEY = "", PREVIOUS_MASTER_KEYS = "" }: Variables): Vault {
  let opened: Promise<Keyring> | undefined;
  const keyring = (): Promise<Keyring> =>
    (opened ??= openKeyring(MASTER_KEY, PREVIOUS_MASTER_KEYS));
  return {
    seal: async (text, place) => seal(await keyring(), text, place),
    open: async (sealed, place) => open(await keyring(), sealed, place),
    rewrap: async (sealed, place) => rewrap(await keyring(), sealed, place),
    sealCursor: async (position, list) => sealCursor(await keyring(), position, list),
    signEndpointKey: async (unsigned) => signEndpointKey(await keyring(), unsigned),
    isSignedEndpointKey: async (key) => isSignedEndpointKey(await keyring(), key),
    openCursor: async (cursor, list, read) => openCursor(await keyring(), cursor, list, read),
  };
}
