import { open, type Place, rewrap, seal } from "./envelope.ts";
import { type Keyring, openKeyring } from "./keyring.ts";

/** Keeps secrets: text goes in, sealed text that may be stored anywhere comes out, and back. */
export type Vault = {
  /** Encrypt a text for its place. Throws where no master key is set. */
  seal(text: string, place: Place): Promise<string>;
  /** Decrypt a sealed text. Throws where it was changed, belongs elsewhere, or its master key is not at hand. */
  open(sealed: string, place: Place): Promise<string>;
  /** A sealed text under the current master key; undefined where it is so already. */
  rewrap(sealed: string, place: Place): Promise<string | undefined>;
};

type Variables = { MASTER_KEY?: string; PREVIOUS_MASTER_KEYS?: string };

/** The vault that the master keys of a deployment open. They are read when something is first sealed or opened. */
export function openVault({ MASTER_KEY = "", PREVIOUS_MASTER_KEYS = "" }: Variables): Vault {
  let opened: Promise<Keyring> | undefined;
  const keyring = (): Promise<Keyring> =>
    (opened ??= openKeyring(MASTER_KEY, PREVIOUS_MASTER_KEYS));
  return {
    seal: async (text, place) => seal(await keyring(), text, place),
    open: async (sealed, place) => open(await keyring(), sealed, place),
    rewrap: async (sealed, place) => rewrap(await keyring(), sealed, place),
  };
}
