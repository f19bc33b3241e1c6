type Pair = [name: string, value: string];

/**
 * The fields of a form in another charset than UTF-8: its escapes (`%E9`) are bytes of that charset. Undefined if they
 * are not.
 */
export function formPairs(bytes: Uint8Array, decoder: TextDecoder): Pair[] | undefined {
  const text: string = Buffer.from(bytes).toString("latin1");
  const parts = text.split("&").filter((part) => part !== "");
  try {
    return parts.map((part) => pairIn(part, decoder));
  } catch {
    return undefined;
  }
}

function pairIn(part: string, decoder: TextDecoder): Pair {
  const [name = "", ...value] = part.split("=");
  return [decoded(name, decoder), decoded(value.join("="), decoder)];
}

/** Decode a name or a value, in which each character is a byte. */
function decoded(text: string, decoder: TextDecoder): string {
  const bytes = text
    .replaceAll("+", " ")
    .replaceAll(/%([\da-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
  return decoder.decode(Buffer.from(bytes, "latin1"));
}
