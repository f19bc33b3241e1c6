/**
 * Maximum nesting of JSON that enters the platform (docs/contract.md: Sizes): deeper values can overflow the stack of
 * JSON.stringify().
 */
export const MAX_JSON_LEVELS = 500;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x5b;
const CLOSE = 0x5d;
const BRACE_BIT = 0x20;

/** Whether JSON text exceeds the maximum nesting. Scans it once without parsing; meaningless for other text. */
export function isTooDeep(text: string): boolean {
  // Few events have that many brackets at all, and counting them is faster than skipping strings.
  if (text.length <= MAX_JSON_LEVELS * 2 || !opensOften(text)) return false;
  let level = 0;
  for (let at = 0; at < text.length && level <= MAX_JSON_LEVELS; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = endOfString(text, at);
    else level += stepOf(unit);
  }
  return level > MAX_JSON_LEVELS;
}

/** In ASCII, brackets and braces differ in one bit only. */
function stepOf(unit: number): number {
  const bracket = unit & ~BRACE_BIT;
  if (bracket === OPEN) return 1;
  return bracket === CLOSE ? -1 : 0;
}

/** Whether text has more opening brackets than may be open at once. */
function opensOften(text: string): boolean {
  let left = MAX_JSON_LEVELS;
  for (const bracket of ["[", "{"])
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1))
      if ((left -= 1) < 0) return true;
  return false;
}

/** The end of the string that begins at `start`: the first quote that is not escaped. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === BACKSLASH) before -= 1;
  return (at - before) % 2 === 0;
}
