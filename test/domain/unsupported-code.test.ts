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
      stack: "at dependencies/0.js:1:2",
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
  [
    {
      message: EVAL,
      stack: "at Function (<anonymous>)\n at dependencies/0.js:1:2\n at component.js:1:2",
    },
    "A package compiles code from text (eval, new Function), which cannot be done here",
  ],
  [
    {
      message: `"../build/Release/canvas.node", which "canvas/lib/bindings.js" imports, is a native add-on, which cannot run here`,
      stack: "",
    },
    'The package "canvas" needs native code, which cannot be done here: use an HTTP API that draws instead',
  ],
  [
    {
      message: `There is no package "@a/draw-linux-x64-gnu", which "@a/draw/binding.js" imports`,
      stack: "at dependencies/0.js:1:2",
    },
    'The package "@a/draw" needs native code, which cannot be done here',
  ],
  [
    { message: 'Cannot find native binding: "dependencies/0.js"', stack: "" },
    "The code needs native code, which cannot be done here",
  ],
  [
    { message: "The runInThisContext method is not implemented", stack: "at component.js:1:2" },
    "The code compiles code from text (node:vm), which cannot be done here",
  ],
  [{ message: "The spawn method is not implemented", stack: "at component.js:1:2" }, undefined],
  [{ message: "x is not a function", stack: "at npm:node_modules/bcrypt/x.js" }, undefined],
] as const)(
  "the message about code that the runtime rejects names its package %#",
  ([error, text]) => {
    expect(unsupportedCode(error)).toBe(text);
  },
);

test("an error without a package is attributed to the only installed one that cannot run", () => {
  const error = { message: "Could not locate the bindings file. Tried:", stack: "" };
  const unnamed = "The code needs native code, which cannot be done here";
  expect(unsupportedCode(error, ["bindings", "better-sqlite3", "better-sqlite3"])).toBe(
    'The package "better-sqlite3" needs native code, which cannot be done here: use a database over the network instead',
  );
  expect(unsupportedCode(error, ["better-sqlite3", "sqlite3"])).toBe(unnamed);
  expect(unsupportedCode(error, ["bindings", "constructor"])).toBe(unnamed);
  expect(unsupportedCode({ message: "no", stack: "" }, ["sqlite3"])).toBeUndefined();
  expect(unsupportedCode({ message: EVAL, stack: "at component.js:1:2" }, ["sqlite3"])).toBe(
    "The code compiles code from text (eval, new Function), which cannot be done here",
  );
});
