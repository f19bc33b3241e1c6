const LONGEST_MESSAGE = 4096;
const LONGEST_STACK = 8192;

/** User code may throw anything; tell it as plain data of bounded size. */
export function describeFailure(error) {
  try {
    return described(error);
  } catch {
    return { name: "Error", message: "What was thrown cannot be read", stack: "" };
  }
}

function described(error) {
  const { name, message, stack } = error instanceof Object ? error : { message: error };
  return {
    name: text(name, 256) || "Error",
    message: text(message, LONGEST_MESSAGE),
    stack: withoutOurs(text(stack, LONGEST_STACK)),
  };
}

/** The frames of the harness tell nothing about the component. Its own code is all in one module, `component.js`. */
function withoutOurs(stack) {
  const lines = stack.split("\n");
  return lines.filter((line) => !/^ +at .*\.worker\.js:\d+:\d+\)?$/.test(line)).join("\n");
}

function text(value, limit) {
  if (value === undefined || value === null) return "";
  try {
    return String(value).slice(0, limit);
  } catch {
    return "";
  }
}
