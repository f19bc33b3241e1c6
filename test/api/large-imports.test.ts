// @suites release

import { expect, test } from "vitest";

import { imported } from "../support/imports.ts";
import { HANGS_AFTER_MS } from "../support/timeouts.ts";

const COMPONENTS = 3000;

test("imports more components than one invocation may have queries and isolates", async () => {
  const mark = crypto.randomUUID().slice(0, 8);
  const components = Array.from({ length: COMPONENTS }, (_, n) => [
    `components/shop/actions/do-${n}/do-${n}.mjs`,
    `export default { key: "shop${mark}-do-${n}", name: "Do ${n}", version: "1.0.0", type: "action", run() { return ${n}; } };`,
  ]);
  const licence = ["package.json", `{"name": "collection", "license": "MIT"}`];
  const files = Object.fromEntries([licence, ...components]);
  const { state, counts } = await imported(files, HANGS_AFTER_MS);
  expect([state, counts]).toMatchObject(["ended", { published: COMPONENTS, failed: 0 }]);
});
