// @suites release

import { expect, test } from "vitest";

import { bundle } from "#bundler/bundle.ts";
import { usesSockets } from "#sandbox/script.ts";
import { isolateModules } from "#sandbox/worker-loader.ts";

import { oneModule } from "../support/deploy.ts";
import { resolverDeps } from "./evaluate.ts";

/** Whether a component with these files may open TCP connections. */
async function mayConnect(files: Record<string, string>): Promise<boolean> {
  const entry = Object.keys(files)[0] ?? "";
  const bundled = await bundle({ entry, files }, resolverDeps);
  if (!bundled.ok) throw new Error(JSON.stringify(bundled.issues));
  return usesSockets(bundled.bundle);
}

/** Components that use a package for its purpose. */
const PACKAGES: [string, boolean][] = [
  ["pg", true],
  ["mysql2/promise", true],
  ["ioredis", true],
  ["nodemailer", true],
  ["mongodb", true],
  ["ssh2", true],
  ["@pipedream/platform", false],
  ["axios", false],
  ["node-fetch", false],
  ["lodash", false],
  ["stripe", false],
];

test.for(PACKAGES)(
  "whether %s opens TCP connections: %s",
  { timeout: 90_000 },
  async ([name, expected]) => {
    const code = `import * as it from "${name}"; export default { run: () => Object.keys(it) };`;
    expect(await mayConnect({ "component.mjs": code })).toBe(expected);
  },
);

const OWN: [string, Record<string, string>, boolean][] = [
  [
    "a connection",
    { "component.mjs": `import net from "net"; export default { run: () => net.connect(1) };` },
    true,
  ],
  [
    "a destructured class",
    {
      "component.js": `const { Socket } = require("node:net"); module.exports = { run: () => new Socket() };`,
    },
    true,
  ],
  [
    "TLS in a file beside the component",
    {
      "component.mjs": `import { open } from "./db.mjs"; export default { run: open };`,
      "db.mjs": `import * as tls from "node:tls"; export const open = () => tls.connect(1);`,
    },
    true,
  ],
  [
    "a dynamic import",
    { "component.mjs": `export default { run: async () => (await import("net")).connect(1) };` },
    true,
  ],
  [
    "a check for an IP address",
    {
      "component.mjs": `import { isIP } from "node:net"; export default { run: () => isIP("::1") };`,
    },
    false,
  ],
  [
    "requests",
    {
      "component.mjs": `import http from "http"; export default { run: () => http.get("http://a.test") };`,
    },
    false,
  ],
];

test.for(OWN)("classifies code with %s", async ([, files, expected]) => {
  expect(await mayConnect(files)).toBe(expected);
});

test("files with the same compiled code have the same classification, but different bundles", async () => {
  const used = `import { isIP } from "node:net"; export default { run: () => isIP("::1") };`;
  const [plain, talking] = await Promise.all(
    [used, `// A Socket could connect.\n${used}`].map(async (text) => {
      const bundled = await bundle({ entry: "a.mjs", files: { "a.mjs": text } }, resolverDeps);
      if (!bundled.ok) throw new Error(JSON.stringify(bundled.issues));
      return bundled.bundle;
    }),
  );
  expect(talking?.code).toBe(plain?.code);
  expect(talking?.mayConnect).toBe(false);
  // Their lines differ, and therefore their source maps.
  expect(talking?.map).not.toBe(plain?.map);
  expect(talking?.hash).not.toBe(plain?.hash);
});

test("the patch of node:tls is loaded only for code that may open sockets", () => {
  const component = oneModule("hash", "export default {}");
  const patch = (connects?: boolean) =>
    isolateModules({ ...component, ...(connects !== undefined && { mayConnect: connects }) })[
      "tls-handle.worker.js"
    ];
  expect(patch(false)).toBe("export {};");
  for (const maybe of [true, undefined]) expect(patch(maybe)).toContain("node:tls");
});
