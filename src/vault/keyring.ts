/** A key that wraps data keys. Its id is derived from the key, so two keys never share one. */
export type MasterKey = { id: string; key: CryptoKey } & DerivedKeys;

/** The keys that are derived from a master key; `endpoints` signs the keys of endpoints. */
type DerivedKeys = { cursors: CursorKeys; endpoints: CryptoKey };

type CursorKeys = { encryption: CryptoKey; digest: CryptoKey };

/** The master key for new values, and all keys that open sealed ones. */
export type Keyring = { current: MasterKey; byId: ReadonlyMap<string, MasterKey> };

const KEY_BYTES = 32;
const ID_LENGTH = 16;

/**
 * Read master keys: 32 bytes each, in hex or base64; `previous` holds any number of them between spaces or commas.
 * Throws if the current one is missing or one is invalid; the message never contains a key.
 */
export async function openKeyring(current: string, previous: string): Promise<Keyring> {
  if (current === "")
    throw new Error("MASTER_KEY is not set: secrets can be neither stored nor read");
  const key = await importKey("MASTER_KEY", current);
  const names = previous.split(/[\s,]+/).filter((text) => text !== "");
  const older = await Promise.all(names.map((text) => importKey("PREVIOUS_MASTER_KEYS", text)));
  return { current: key, byId: new Map([...older, key].map((each) => [each.id, each])) };
}

async function importKey(variable: string, text: string): Promise<MasterKey> {
  const bytes = bytesOf(text);
  if (bytes?.length !== KEY_BYTES)
    throw new Error(`${variable} must be ${KEY_BYTES} random bytes in hex or base64`);
  const [key, digest, derived] = await Promise.all([
    crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]),
    crypto.subtle.digest("SHA-256", bytes),
    derivedKeys(bytes),
  ]);
  return { id: new Uint8Array(digest).toHex().slice(0, ID_LENGTH), key, ...derived };
}

async function derivedKeys(bytes: Uint8Array<ArrayBuffer>): Promise<DerivedKeys> {
  const base = await crypto.subtle.importKey("raw", bytes, "HKDF", false, ["deriveKey"]);
  const [encryption, digest, endpoints] = await Promise.all([
    crypto.subtle.deriveKey(
      derivation("cursors: encryption"),
      base,
      { name: "AES-GCM", length: 256 },
      false,
      ["encrypt", "decrypt"],
    ),
    signingKey(base, "cursors: digest"),
    signingKey(base, "endpoint keys"),
  ]);
  return { cursors: { encryption, digest }, endpoints };
}

function signingKey(base: CryptoKey, purpose: string): Promise<CryptoKey> {
  const type = { name: "HMAC", hash: "SHA-256", length: 256 };
  return crypto.subtle.deriveKey(derivation(purpose), base, type, false, ["sign"]);
}

function derivation(purpose: string): SubtleCryptoDeriveKeyAlgorithm {
  const info = new TextEncoder().encode(purpose);
  return { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info };
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    if (/^[0-9a-f]{64}$/i.test(text)) return Uint8Array.fromHex(text);
    const alphabet = /[-_]/.test(text) ? "base64url" : "base64";
    return Uint8Array.fromBase64(text, { alphabet });
  } catch {
    return undefined;
  }
}
