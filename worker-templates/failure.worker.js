import { inspect } from "node:util";

const MAX_MESSAGE = 4096;
const MAX_STACK = 8192;

// util.inspect() appends an error's fields to its last frame.
const OUR_FRAMES = /\n +at [^\n]*(?:\.worker\.js|cloudflare:workers):\d+:\d+\)?(?=\n|$| \{)/g;

/**
 * Describe a thrown value, of any type, as plain data of bounded size.
 * @param {unknown} error
 * @returns {import("../src/domain/invocation.ts").Failure}
 */
export function describeFailure(error) {
  try {
    return described(error);
  } catch {
    return { name: "Error", message: "The thrown value cannot be read", stack: "" };
  }
}

function described(error) {
  const { name, message, stack } = error instanceof Object ? error : { message: error };
  return {
    name: text(name, 256) || "Error",
    message: text(message, MAX_MESSAGE) || shownOf(error),
    stack: withoutOurs(text(stack, MAX_STACK)),
  };
}

/** A thrown object without a message, in its author's notation. An error may have no message. */
function shownOf(error) {
  if (!(error instanceof Object) || error instanceof Error) return "";
  return jsonOrInspected(error).slice(0, MAX_MESSAGE);
}

function jsonOrInspected(value) {
  try {
    const json = JSON.stringify(value);
    // Maps, functions and the like are empty in JSON.
    if (json !== undefined && json !== "{}") return json;
  } catch {}
  return inspect(value);
}

/**
 * Remove the frames of the harness, which do not concern the component. Its own code is in one module, `component.js`.
 * @param {string} shown
 * @returns {string}
 */
export function withoutOurs(shown) {
  return shown.includes("worker") ? shown.replace(OUR_FRAMES, "") : shown;
}

function text(value, limit) {
  if (value === undefined || value === null) return "";
  try {
    return String(value).slice(0, limit);
  } catch {
    return "";
  }
}
