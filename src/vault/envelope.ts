import type { Keyring, MasterKey } from "./keyring.ts";

/**
 * The context of a sealed value: kind, owner and name. A value that was moved to another context cannot be decrypted
 * there.
 */
export type Place = readonly string[];

const VERSION = "v1";
const IV_BYTES = 12;
const DATA_KEY_BYTES = 32;

/**
 * Encrypt a text (AES-GCM) under a data key of its own, which the current master key wraps. The result is `v1.<id of
 * the master key>.<wrapped data key>.<encrypted text>`.
 */
export async function seal({ current }: Keyring, text: string, place: Place): Promise<string> {
  const raw = new Uint8Array(DATA_KEY_BYTES);
  crypto.getRandomValues(raw);
  const [wrapped, box] = await Promise.all([
    encrypt(current.key, raw, place),
    encrypt(await dataKey(raw), new TextEncoder().encode(text), place),
  ]);
  return [VERSION, current.id, wrapped, box].join(".");
}

/** Decrypt a sealed value. Throws if it was modified or moved, or its master key is missing. */
export async function open(keyring: Keyring, sealed: string, place: Place): Promise<string> {
  const { master, wrapped, box } = read(keyring, sealed);
  const key = await dataKey(await decrypt(master.key, wrapped, place));
  return new TextDecoder().decode(await decrypt(key, box, place));
}

/** Rewrap the data key of a sealed value with the current master key. Undefined: it already is. */
export async function rewrap(
  keyring: Keyring,
  sealed: string,
  place: Place,
): Promise<string | undefined> {
  const { master, wrapped, box } = read(keyring, sealed);
  const { current } = keyring;
  if (master.id === current.id) return undefined;
  const raw = await decrypt(master.key, wrapped, place);
  return [VERSION, current.id, await encrypt(current.key, raw, place), box].join(".");
}

/** The id of the master key that wraps a sealed value's data key. */
export function keyIdOf(sealed: string): string {
  return sealed.split(".")[1] ?? "";
}

type Envelope = { master: MasterKey; wrapped: string; box: string };

function read({ byId }: Keyring, sealed: string): Envelope {
  const [version, id = "", wrapped = "", box = "", ...more] = sealed.split(".");
  if (version !== VERSION || more.length > 0) throw new Error("A sealed value is malformed");
  const master = byId.get(id);
  if (!master) throw new Error(`The master key ${id} of a sealed value is not configured`);
  return { master, wrapped, box };
}

function dataKey(raw: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", raw, "AES-GCM", false, ["encrypt", "decrypt"]);
}

async function encrypt(key: CryptoKey, bytes: Uint8Array, place: Place): Promise<string> {
  const iv = new Uint8Array(IV_BYTES);
  crypto.getRandomValues(iv);
  const encrypted = new Uint8Array(await crypto.subtle.encrypt(algorithm(iv, place), key, bytes));
  const both = new Uint8Array(IV_BYTES + encrypted.length);
  both.set(iv);
  both.set(encrypted, IV_BYTES);
  return both.toBase64({ alphabet: "base64url", omitPadding: true });
}

async function decrypt(
  key: CryptoKey,
  text: string,
  place: Place,
): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const both = Uint8Array.fromBase64(text, { alphabet: "base64url" });
    const iv = both.slice(0, IV_BYTES);
    const bytes = both.slice(IV_BYTES);
    return new Uint8Array(await crypto.subtle.decrypt(algorithm(iv, place), key, bytes));
  } catch {
    throw new Error("A sealed value cannot be decrypted: it was changed or moved");
  }
}

function algorithm(iv: Uint8Array<ArrayBuffer>, place: Place): SubtleCryptoEncryptAlgorithm {
  const additionalData = new TextEncoder().encode(JSON.stringify([VERSION, ...place]));
  return { name: "AES-GCM", iv, additionalData };
}
