import { inspect } from "node:util";

const MAX_MESSAGE = 4096;
const MAX_STACK = 8192;

// util.inspect() appends an error's fields to its last frame.
const OUR_FRAMES = /\n +at [^\n]*(?:\.worker\.js|cloudflare:workers):\d+:\d+\)?(?=\n|$| \{)/g;

/**
 * User code may throw anything: describe it as plain data of bounded size.
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

/** An object that is thrown without a message, as its author would write it. An error may have none. */
function shownOf(error) {
  if (!(error instanceof Object) || error instanceof Error) return "";
  return jsonOrInspected(error).slice(0, MAX_MESSAGE);
}

function jsonOrInspected(value) {
  try {
    const json = JSON.stringify(value);
    // Maps, functions and the like have nothing that JSON shows.
    if (json !== undefined && json !== "{}") return json;
  } catch {}
  return inspect(value);
}

/**
 * The frames of the harness say nothing about the component. Its own code is all in one module, `component.js`.
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
