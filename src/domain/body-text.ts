const UTF_8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The byte order mark at the beginning of a decoded text. */
const MARK = "\uFEFF";

/** Types whose bytes are text, so that two bytes at their beginning may be a mark of UTF-16. */
const TEXTUAL = /^text\/|[/+](?:json|xml|x-www-form-urlencoded)\b/i;

const CHARSET = /;\s*charset\s*=\s*"?([\w.:-]+)/i;

/** The text of bytes in UTF-8, with a byte order mark if they have one; undefined for other bytes. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  return decode(bytes, UTF_8);
}

/**
 * The text of a body, without its byte order mark, by that mark, else by the charset of its type, else by UTF-8;
 * undefined for bytes that are no such text.
 */
export function bodyText(
  bytes: Uint8Array,
  type: string,
  utf8 = utf8Text(bytes),
): string | undefined {
  const decoder = decoderFor(bytes, type);
  const text = decoder && decode(bytes, decoder);
  return text ?? (utf8?.startsWith(MARK) ? utf8.slice(1) : utf8);
}

/** The decoder of a body that is not UTF-8, by its byte order mark or its type. */
export function decoderFor(bytes: Uint8Array, type: string): TextDecoder | undefined {
  const label = labelIn(bytes, type);
  try {
    const decoder = label && new TextDecoder(label, { fatal: true, ignoreBOM: false });
    return decoder && decoder.encoding !== "utf-8" ? decoder : undefined;
  } catch {
    return undefined;
  }
}

function labelIn(bytes: Uint8Array, type: string): string | undefined {
  const charset = CHARSET.exec(type)?.[1];
  const isText = charset !== undefined || TEXTUAL.test(type);
  return isText ? (labelOfMark(bytes) ?? charset) : undefined;
}

function labelOfMark([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return first === 0xef && second === 0xbb && third === 0xbf ? "utf-8" : undefined;
}

function decode(bytes: Uint8Array, decoder: TextDecoder): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
