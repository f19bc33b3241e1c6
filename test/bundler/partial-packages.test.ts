// @suites release

import { env } from "cloudflare:workers";
import { expect, inject, test } from "vitest";

import { bundle } from "#bundler/bundle.ts";
import type { Bundle } from "#sandbox/user-code.ts";

import { evaluate } from "./evaluate.ts";

async function made(code: string): Promise<Bundle> {
  const registry = { url: inject("registryServer"), token: undefined, allowPrivate: false };
  const resolverDeps = { registry, store: env.CODE, client: "test" };
  const bundled = await bundle(
    { entry: "component.mjs", files: { "component.mjs": code } },
    resolverDeps,
  );
  if (!bundled.ok) throw new Error(bundled.issues.map(({ text }) => text).join("\n"));
  return bundled.bundle;
}

async function valueOf(bundled: Bundle): Promise<unknown> {
  const { value, stack } = await evaluate(bundled);
  if (stack !== undefined) throw new Error(stack);
  return value;
}

/** The APIs with code in the packages of a bundle. */
function apisIn({ dependencies }: Bundle): string[] {
  const code = Object.values(dependencies.modules).join("\n");
  return ["docs", "drive", "sheets"].filter((api) => code.includes(`"${api} of "`));
}

test("a bundle has only the used parts of a package", async () => {
  const drive = await made(`import { google } from "googleapis";
    export default { run: () => google.drive("v1").text };`);
  expect(apisIn(drive)).toEqual(["drive"]);
  expect(await valueOf(drive)).toBe("drive of object");
  const both = await made(`import { google, docs_v1 } from "googleapis";
    export default { run: () => [google.sheets("v1").text, typeof docs_v1.Client] };`);
  expect(apisIn(both)).toEqual(["docs", "sheets"]);
  expect(await valueOf(both)).toEqual(["sheets of object", "function"]);
  expect(both.dependencies.hash).not.toBe(drive.dependencies.hash);
  expect(both.lockfile).toEqual(drive.lockfile);
});

test("the same parts make the same set, however they are imported", async () => {
  const [one, other] = await Promise.all([
    made(
      `import { google } from "googleapis"; export default { run: () => google.docs("v1").text };`,
    ),
    made(
      `import * as all from "googleapis"; export default { run: () => [all.google.docs, all.google.auth] };`,
    ),
  ]);
  expect(one.dependencies).toEqual(other.dependencies);
});

test("a bundle has every part of a package if the component computes a name", async () => {
  const bundled = await made(`import { google } from "googleapis";
    export default { run: () => ["docs", "drive"].map((name) => google[name]("v1").text) };`);
  expect(apisIn(bundled)).toEqual(["docs", "drive", "sheets"]);
  expect(await valueOf(bundled)).toEqual(["docs of object", "drive of object"]);
});

test("a bundle has the parts that another package needs, beside the component's own imports", async () => {
  const bundled =
    await made(`import { google } from "googleapis"; import { text } from "sheets-helper";
    export default { run: () => [google.drive("v1").text, text] };`);
  expect(await valueOf(bundled)).toEqual(["drive of object", "sheets of object"]);
});

test("a bundle has every part if the component uses another member", async () => {
  const bundled = await made(`import { google } from "googleapis";
    export default { run: () => google.getSupportedAPIs() };`);
  expect(await valueOf(bundled)).toEqual([["v1"], ["v1"], ["v1"]]);
  const other = await made(`import { GoogleApis } from "googleapis";
    export default { run: () => new GoogleApis().sheets("v1").text };`);
  expect(await valueOf(other)).toBe("sheets of object");
});
