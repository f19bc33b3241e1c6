const PREFIX = "whsec_";
const SECRET_BYTES = 32;

/** Generate a signing secret in the format of Standard Webhooks. */
export function newSigningSecret(): string {
  return PREFIX + crypto.getRandomValues(new Uint8Array(SECRET_BYTES)).toBase64();
}

/** Whether a text is a signing secret of Standard Webhooks: 24 to 64 bytes. */
export function isSecret(text: string): boolean {
  if (!text.startsWith(PREFIX)) return false;
  try {
    const { length } = Uint8Array.fromBase64(text.slice(PREFIX.length));
    return length >= 24 && length <= 64;
  } catch {
    return false;
  }
}

/** The header with the signature of the Connect API. */
export const CONNECT_SIGNATURE_HEADER = "x-pd-signature";

/** Sign one attempt (Standard Webhooks): `v1,<base64>`. */
export async function sign(
  secret: string,
  { id, timestamp, body }: { id: string; timestamp: number; body: string },
): Promise<string> {
  const key = Uint8Array.fromBase64(secret.slice(PREFIX.length));
  return `v1,${(await hmac(key, `${id}.${timestamp}.${body}`)).toBase64()}`;
}

/** Sign one attempt as the Connect API does, with the text of the secret as the key: `t=<seconds>,v1=<hex>`. */
export async function connectSignature(
  secret: string,
  { timestamp, body }: { timestamp: number; body: string },
): Promise<string> {
  const key = new TextEncoder().encode(secret);
  return `t=${timestamp},v1=${(await hmac(key, `${timestamp}.${body}`)).toHex()}`;
}

async function hmac(key: Uint8Array, text: string): Promise<Uint8Array> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", key, algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, new TextEncoder().encode(text)));
}
