import { type CursorPosition, cursorText, textOfPlainCursor } from "#domain/page.ts";

import type { Keyring, MasterKey } from "./keyring.ts";

/** The list of a cursor, after its owner: a cursor of another list or owner cannot be read. */
export type CursorList = readonly [owner: string, ...list: string[]];

const PREFIX = "c1.";
const IV_BYTES = 12;

/**
 * Encrypt a position in a list (AES-GCM). The IV is a digest of list and position under a key of its own, so that equal
 * positions have equal cursors, and no IV serves two contents.
 */
export async function sealCursor(
  { current }: Keyring,
  position: CursorPosition,
  list: CursorList,
): Promise<string> {
  const { encryption, digest } = current.cursors;
  const bytes = new TextEncoder().encode(cursorText(position));
  const context = associatedData(list);
  const digested = new Uint8Array(context.length + bytes.length);
  digested.set(context);
  digested.set(bytes, context.length);
  const iv = new Uint8Array(await crypto.subtle.sign("HMAC", digest, digested)).slice(0, IV_BYTES);
  const algorithm = { name: "AES-GCM", iv, additionalData: context };
  const encrypted = new Uint8Array(await crypto.subtle.encrypt(algorithm, encryption, bytes));
  const both = new Uint8Array(IV_BYTES + encrypted.length);
  both.set(iv);
  both.set(encrypted, IV_BYTES);
  return PREFIX + base64url(both);
}

/** Read the position in a cursor by `read`; undefined: it was altered, or belongs to another list, owner or master key. */
export async function openCursor<T>(
  { byId }: Keyring,
  cursor: string,
  list: CursorList,
  read: (text: string) => T | undefined,
): Promise<T | undefined> {
  if (!cursor.startsWith(PREFIX)) return read(textOfPlainCursor(cursor));
  const sealed = canonicalBytes(cursor.slice(PREFIX.length));
  if (!sealed) return undefined;
  for (const key of byId.values()) {
    const text = await decrypted(key, sealed, list);
    if (text !== undefined) return read(text);
  }
  return undefined;
}

async function decrypted(
  { cursors }: MasterKey,
  sealed: Uint8Array<ArrayBuffer>,
  list: CursorList,
): Promise<string | undefined> {
  const iv = sealed.slice(0, IV_BYTES);
  const algorithm = { name: "AES-GCM", iv, additionalData: associatedData(list) };
  try {
    const bytes = await crypto.subtle.decrypt(
      algorithm,
      cursors.encryption,
      sealed.slice(IV_BYTES),
    );
    return new TextDecoder().decode(bytes);
  } catch {
    return undefined;
  }
}

function associatedData(list: CursorList): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(list));
}

function base64url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

/** The bytes of a text in base64; undefined if it is not the one text of them. */
function canonicalBytes(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const bytes = Uint8Array.fromBase64(text, { alphabet: "base64url" });
    return base64url(bytes) === text ? bytes : undefined;
  } catch {
    return undefined;
  }
}
