import { expect, test } from "vitest";

import { throwIn } from "../../tools/compat/throws.ts";

test.for([
  [`run() { throw new Error("Not found"); }`, "Error: Not found", { isConditional: false }],
  [
    `run() { try { throw new Error("Not found"); } finally { } }`,
    "Not found",
    { isConditional: false },
  ],
  [
    `run() { if (this.a(1)) { throw new Error("Not found"); } }`,
    "Not found",
    { isConditional: true },
  ],
  [
    `run() { if (a) return 1;\n throw new Error("Not found"); }`,
    "Not found",
    { isConditional: true },
  ],
  [`run() { if (a) throw new Error("Not found"); }`, "Not found", { isConditional: true }],
  [`try { a(); } catch { throw new Error("Not found"); }`, "Not found", { isConditional: true }],
  [`a ?? (() => { throw new Error("Not found"); })()`, "Not found", { isConditional: false }],
  [
    "throw new ConfigurationError(`No \\`list\\` ${id} in ${place}`)",
    "No `list` 7 in Paris",
    { isConditional: false },
  ],
  ["throw new Error(`${name}`)", "anything", undefined],
  [`console.log("Not found")`, "Not found", undefined],
] as const)("%s throws %s: %o", ([code, message, thrown]) => {
  expect(throwIn(code, message)).toEqual(thrown);
});
