import { expect, test } from "vitest";

import { assignsUndeclared } from "#bundler/sloppy.ts";

test.for([
  ["a statement", "const a = require('a');\nsettings = { a };\nmodule.exports = settings;"],
  ["a statement without semicolons", "const a = 1\nsettings = a\n"],
  ["a function", "function f() { count = 1; return count; }"],
  ["a loop over keys", "function f(x) { for (key in x) g(key); }"],
  ["a loop that counts", "for (i = 0; i < 3; i++) f(i);"],
  ["a name after declared ones", "var a = 1,\n  b = 2;\nc = a + b;"],
] as const)("detects an assignment to an undeclared variable in %s", ([, code]) => {
  expect(assignsUndeclared(code)).toBe(true);
});

test.for([
  ["strict code", "'use strict';\nsettings = 1;"],
  ["a declared variable", "var a;\na = 1;"],
  ["a parameter", "module.exports = function (options) {\n  options = options || {};\n};"],
  ["a parameter of an arrow function", "const f = (a, b) => {\n  b = b ?? a;\n};"],
  [
    "a parameter in a pattern",
    "function f({ a, b: { c } = {} }, [d, ...e]) {\n  c = 1; d = 2; e = 3;\n}",
  ],
  ["a caught error", "try { f() } catch (error) {\n  error = 1;\n}"],
  ["a declaration of several lines", "var a = 1,\n  b = 2;\nlet c,\n  d = 4;"],
  ["a default of a pattern", "const { a = 1, b } = f();"],
  ["a field of a class", "class A {\n  a = 1;\n  b = 2;\n}"],
  ["exports", "exports = module.exports = f;"],
  ["a global of the runtime", "Promise = require('promises');"],
  ["a comment", "/*\nsettings = 1;\n*/"],
  ["an ES module", "import a from 'a';\nsettings = a;"],
  ["invalid code", "settings = = 1;"],
] as const)("detects no assignment to an undeclared variable: %s", ([, code]) => {
  expect(assignsUndeclared(code)).toBe(false);
});
