import { expect, test } from "vitest";

import { bundle } from "#bundler/bundle.ts";
import { namesRespond } from "#bundler/names-respond.ts";

import { resolverDeps } from "./evaluate.ts";

test.for([
  `this.http.respond({ status: 200 });`,
  `$.respond?.({ status: 200 });`,
  `$["respond"]({ status: 200 });`,
  `$[\`respond\`]({ status: 200 });`,
  `const { respond } = $; respond();`,
  `const { respond: send } = $; send();`,
  `const run = ({ http: { respond = none } }) => respond();`,
  `const method = "respond"; $[method]();`,
  `Reflect.get($, "respond").call($);`,
  `export default { methods: { respond() {} } };`,
  `class Http { respond = 1; }`,
])("code names respond: %s", (code) => {
  expect(namesRespond(code)).toBe(true);
});

test.for([
  `export default { run() { return 1; } };`,
  `// respond`,
  `const text = "We respond within a day";`,
  `const respond = () => 1; respond();`,
  `import { respond as send } from "package"; send();`,
  `this.http.responds({ responded: true });`,
])("code does not name respond: %s", (code) => {
  expect(namesRespond(code)).toBe(false);
});

test("code that is not understood counts as naming respond", () => {
  expect(namesRespond(`with ($) { /* respond */ }`)).toBe(true);
  expect(namesRespond(`${"[".repeat(50_000)}"respond to"`)).toBe(true);
  expect(namesRespond(`// respond\n${"x;".repeat(200_000)}`)).toBe(true);
  expect(namesRespond("x;".repeat(200_000))).toBe(false);
});

async function bundled(files: Record<string, string>) {
  const result = await bundle({ entry: "a.js", files }, resolverDeps);
  if (!result.ok) throw new Error(JSON.stringify(result.issues));
  return result.bundle;
}

test("a bundle says whether one of its own files names respond", async () => {
  const files = {
    "a.js": `import reply from "./reply.js"; export default { run() { reply(this.http); } };`,
    "reply.js": String.raw`module.exports = (http) => http.\u0072espond();`,
  };
  expect(await bundled(files)).toMatchObject({ namesRespond: true });
  const unused = { ...files, "a.js": `export default { run() {} };` };
  expect(await bundled(unused)).toMatchObject({ namesRespond: false });
});

test("the packages of a bundle may name respond", { timeout: 90_000 }, async () => {
  const code = `import Koa from "koa"; export default { run: () => typeof Koa };`;
  const { dependencies, namesRespond: isNamed } = await bundled({ "a.js": code });
  expect(Object.values(dependencies.modules).join("\n")).toContain("ctx.respond");
  expect(isNamed).toBe(false);
});
