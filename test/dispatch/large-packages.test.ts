// @suites dispatch

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { newId, newToken } from "#domain/ids.ts";
import { openCodeStore } from "#sandbox/code-store.ts";
import { scriptName } from "#sandbox/script.ts";
import type { UserCode } from "#sandbox/user-code.ts";

import { oneModule } from "../support/deploy.ts";

test("packages in several parts run as a script, even in CommonJS", async () => {
  const dependencies = { hash: newToken(), modules: {} };
  const entry = `import it from "./chunk.cjs"; export default it;`;
  const set = { modules: { "dependencies/0.js": entry }, parts: 1 };
  await env.CODE.put(`dependencies/${dependencies.hash}`, JSON.stringify(set));
  const part = { "dependencies/chunk.cjs": `module.exports = 700 + 010;` };
  await env.CODE.put(`dependencies/${dependencies.hash}.1`, JSON.stringify(part));
  const code = `import it from "./dependencies/0.js";
    export default { name: "sum " + it, version: "0.0.1", type: "action", run() {} };`;
  const key = { owner: newId("user"), bundleHash: newToken() };
  await openCodeStore(env.CODE).putBundle({ ...oneModule(key.bundleHash, code), dependencies });
  const keeper = env.SCRIPTS.getByName(env.DISPATCH_NAMESPACE);
  expect(await keeper.provide(key)).toEqual({ kind: "script" });
  const script = env.DISPATCH?.get(await scriptName(key)) as unknown as UserCode;
  expect(await script.describe()).toMatchObject({
    ok: true,
    value: expect.stringContaining('"sum 708"'),
  });
});
