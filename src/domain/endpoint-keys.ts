import { customAlphabet } from "nanoid";

import { ID_ALPHABET, type Id, TOKEN_LENGTH } from "./ids.ts";

const LOWER_CASE = "0123456789abcdefghijklmnopqrstuvwxyz";

/** 26 characters of an alphabet of 36 are 134 bits: as many as the token of an id needs, and unguessable. */
const LENGTH = 26;

/** The length of a key's signature; the rest of its unguessable half is random. */
const SIGNATURE_LENGTH = 13;

const newSecret = customAlphabet(LOWER_CASE, LENGTH - SIGNATURE_LENGTH);

const LOWER = `[0-9a-z]{${LENGTH}}`;
const MIXED = `[0-9A-Za-z]{${TOKEN_LENGTH}}`;

/** A key in either form; keys of workflows begin with `p`. The two forms differ in length. */
const KEY = new RegExp(`^(p?)(?:(${LOWER})${LOWER}|(${MIXED})${MIXED})$`);

/**
 * Generate the key of an endpoint, but for its signature: lower-case only, because some clients write URLs so. The token of
 * the id comes first, so that an event finds its source or workflow without a look-up; `p` marks a workflow.
 */
export function newUnsignedKey(id: Id<"source"> | Id<"workflow">): string {
  const [kind, token = ""] = id.split("_");
  const written = converted(token, ID_ALPHABET, LOWER_CASE).padStart(LENGTH, "0");
  return `${kind === "p" ? "p" : ""}${written}${newSecret()}`;
}

/** The signature of a key as text: of the first 64 bits of a digest. */
export function signatureText(digest: Uint8Array): string {
  const hex = digest.slice(0, 8).toHex();
  return converted(hex, "0123456789abcdef", LOWER_CASE).padStart(SIGNATURE_LENGTH, "0");
}

/** The parts of a key: what is signed, and the signature, which keys of earlier releases do not have there. */
export function signedParts(key: string): { signed: string; signature: string } {
  return { signed: key.slice(0, -SIGNATURE_LENGTH), signature: key.slice(-SIGNATURE_LENGTH) };
}

/** The id and token of an endpoint's key; undefined if it is invalid. Keys of earlier releases have the plain token. */
export function emitterOfKey(key: string): Id<"source"> | Id<"workflow"> | undefined {
  const [, workflow, lower, mixed] = KEY.exec(key) ?? [];
  const token =
    lower === undefined
      ? mixed
      : converted(lower, LOWER_CASE, ID_ALPHABET).padStart(TOKEN_LENGTH, "0");
  if (token === undefined || token.length > TOKEN_LENGTH) return undefined;
  return workflow ? `p_${token}` : `dc_${token}`;
}

/** A number in the digits of another alphabet, without leading zeros. Both alphabets begin with the digit 0. */
function converted(text: string, from: string, to: string): string {
  const [base, newBase] = [BigInt(from.length), BigInt(to.length)];
  let value = 0n;
  for (const character of text) value = value * base + BigInt(from.indexOf(character));
  let digits = "";
  for (; value > 0n; value /= newBase) digits = to.charAt(Number(value % newBase)) + digits;
  return digits;
}
