import { expect, test } from "vitest";

import { unsupportedCode } from "#domain/unsupported-code.ts";

const EVAL = "Code generation from strings disallowed for this context";

test.for([
  [
    {
      message: EVAL,
      stack: `EvalError: ${EVAL}\n  at npm:node_modules/@a/b/lib/x.js (dependencies/0.js:1:2)`,
    },
    'The package "@a/b" compiles code from text (eval, new Function), which cannot be done here',
  ],
  [
    { message: EVAL, stack: "at component.js:1:2" },
    "The code compiles code from text (eval, new Function), which cannot be done here",
  ],
  [
    {
      message: `"bcrypt/lib/b.node", which "bcrypt/bcrypt.js" imports, is a native add-on, which cannot run here`,
      stack: "",
    },
    'The package "bcrypt" needs native code, which cannot be done here: use bcryptjs instead',
  ],
  [
    {
      message: `Could not load the "sharp" module using the linux-x64 runtime`,
      stack: "at npm:node_modules/sharp/lib/sharp.js (dependencies/0.js:1:2)",
    },
    'The package "sharp" needs native code, which cannot be done here: use jimp instead',
  ],
  [
    {
      message: "WebAssembly.Module(): Wasm code generation disallowed by embedder",
      stack: "at npm:node_modules/undici/lib/x.js",
    },
    'The package "undici" compiles WebAssembly from bytes, which cannot be done here',
  ],
  [{ message: "x is not a function", stack: "at npm:node_modules/bcrypt/x.js" }, undefined],
] as const)("code that the runtime refuses is told by its package %#", ([error, text]) => {
  expect(unsupportedCode(error)).toBe(text);
});
