// JSON that leaves the isolate. Nesting that the platform refuses is refused here, so that the component gets the
// error.

const MAX_LEVELS = 500;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x5b;
const CLOSE = 0x5d;
const BRACE_BIT = 0x20;

/**
 * JSON text of a value, like JSON.stringify(). Throws a RangeError that names `what` if it is nested too deep.
 * @param {unknown} value
 * @param {string} what names it in the error
 * @param {typeof JSON.stringify} [stringify]
 * @returns {string}
 */
export function jsonOf(value, what, stringify = JSON.stringify) {
  const text = stringified(value, what, stringify);
  if (text !== undefined && isTooDeep(text)) throw tooDeep(what);
  return text;
}

function stringified(value, what, stringify) {
  try {
    return stringify(value);
  } catch (error) {
    // Nesting of some thousand levels exhausts the stack.
    if (error instanceof RangeError && /call stack/.test(error.message)) throw tooDeep(what);
    throw error;
  }
}

function tooDeep(what) {
  return new RangeError(`${what}: JSON may be nested at most ${MAX_LEVELS} levels deep`);
}

// Like `domain/json-depth.ts`, which checks JSON from outside.
function isTooDeep(text) {
  if (text.length <= MAX_LEVELS * 2 || !opensOften(text)) return false;
  let level = 0;
  for (let at = 0; at < text.length && level <= MAX_LEVELS; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = endOfString(text, at);
    else level += stepOf(unit);
  }
  return level > MAX_LEVELS;
}

// Brackets and braces are in the same columns of two rows of ASCII, which differ in one bit.
function stepOf(unit) {
  const bracket = unit & ~BRACE_BIT;
  if (bracket === OPEN) return 1;
  return bracket === CLOSE ? -1 : 0;
}

function opensOften(text) {
  let left = MAX_LEVELS;
  for (const bracket of ["[", "{"])
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1))
      if ((left -= 1) < 0) return true;
  return false;
}

function endOfString(text, start) {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text, at) {
  let before = at - 1;
  while (text.charCodeAt(before) === BACKSLASH) before -= 1;
  return (at - before) % 2 === 0;
}
