import { expect, test } from "vitest";

import { checkStartup, NOTHING } from "../support/cloudflare/startup.ts";

const FLAGS = { compatibilityDate: "2026-10-01", compatibilityFlags: ["nodejs_compat"] };

const scriptOf = (code: string) => {
  const contents = new TextEncoder().encode(`${code}\nexport default { fetch() {} };`);
  const modules = [{ type: "ESModule" as const, path: "index.js", contents }];
  return { main: "index.js", modules, ...FLAGS };
};

test.for([
  [
    "service_binding_extra_handlers",
    "The compatibility flag service_binding_extra_handlers is experimental and cannot yet be used in Workers deployed to Cloudflare.",
  ],
  ["no_such_flag", "No such compatibility flag: no_such_flag"],
])("rejects an upload with the flag %s", async ([flag = "", message]) => {
  const outcome = checkStartup({ ...NOTHING, ...FLAGS, compatibilityFlags: [flag] });
  await expect(outcome).rejects.toMatchObject({ status: 400, code: 10_021, message });
});

test("rejects a start with more than a second of CPU time, but not a short one", async () => {
  await checkStartup(scriptOf("globalThis.ready = true;"));
  const busy = scriptOf(
    "for (let i = 0, n = 0; i < 2e9; i++) { n += i % 7; globalThis.n = n & 1; }",
  );
  await expect(checkStartup(busy)).rejects.toMatchObject({
    code: 10_021,
    message: "Script startup exceeded CPU time limit.",
  });
});

test("rejects a script that throws on its start, with its error", async () => {
  await expect(checkStartup(scriptOf("throw new Error('No start');"))).rejects.toThrow("No start");
});
