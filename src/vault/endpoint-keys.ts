import { signatureText, signedParts } from "#domain/endpoint-keys.ts";
import { areEqual } from "#domain/hash.ts";

import type { Keyring, MasterKey } from "./keyring.ts";

/** Complete the key of an endpoint with its signature. */
export async function signEndpointKey({ current }: Keyring, unsigned: string): Promise<string> {
  return unsigned + (await signatureOf(current, unsigned));
}

/** Whether one of the master keys signed the key of an endpoint. */
export async function isSignedEndpointKey({ byId }: Keyring, key: string): Promise<boolean> {
  const { signed, signature } = signedParts(key);
  for (const master of byId.values())
    if (await areEqual(signature, await signatureOf(master, signed))) return true;
  return false;
}

async function signatureOf({ endpoints }: MasterKey, text: string): Promise<string> {
  const digest = await crypto.subtle.sign("HMAC", endpoints, new TextEncoder().encode(text));
  return signatureText(new Uint8Array(digest));
}
