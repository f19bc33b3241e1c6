/** Together they stay small beside the data that they are stored with. */
const MAX_HEADERS = 40;
const MAX_NAME_LENGTH = 64;
const MAX_VALUE_LENGTH = 512;
const MAX_BYTES = 4096;

/** Headers with values that may let a reader impersonate someone. */
const SECRET = /auth|cookie|token|secret|session|signature|passw|credential|api[-_]?key/i;

const HIDDEN = "[hidden]";

/**
 * Headers of one connection (RFC 9110, 7.6.1), and the time, which is known already: none of them describes the
 * response.
 */
const OF_THE_CONNECTION = new Set([
  "connection",
  "date",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * Headers of a stranger's response for storage and display: bounded, without those of the connection, and without
 * values that may be secret.
 */
export function shownHeaders(headers: Iterable<readonly [string, string]>): Record<string, string> {
  const shown: [string, string][] = [];
  let room = MAX_BYTES;
  for (const [fullName, fullValue] of headers) {
    if (OF_THE_CONNECTION.has(fullName.toLowerCase())) continue;
    const name = fullName.slice(0, MAX_NAME_LENGTH);
    const value = SECRET.test(fullName) ? HIDDEN : cut(fullValue);
    room -= sizeOf(name) + sizeOf(value);
    if (room < 0 || shown.length === MAX_HEADERS) break;
    // Each cookie has its own entry under the same name.
    if (shown.at(-1)?.[0] !== name) shown.push([name, value]);
  }
  return Object.fromEntries(shown);
}

function cut(value: string): string {
  return value.length > MAX_VALUE_LENGTH ? `${value.slice(0, MAX_VALUE_LENGTH)}…` : value;
}

/** The size as JSON in bytes, at most. */
function sizeOf(text: string): number {
  return new TextEncoder().encode(JSON.stringify(text)).length;
}
