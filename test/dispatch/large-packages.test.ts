import { env } from "cloudflare:workers";
import { expect, inject, test } from "vitest";

import { bundle } from "../../src/bundler/bundle.ts";
import { newId } from "../../src/domain/ids.ts";
import { openCodeStore } from "../../src/sandbox/code-store.ts";
import { scriptName } from "../../src/sandbox/script.ts";
import type { UserCode } from "../../src/sandbox/user-code.ts";

test(
  "packages too large to be compiled as a whole run as a script",
  { timeout: 60_000 },
  async () => {
    const code = `import it from "large-cjs";
      export default { name: "sum " + it.sum(), version: "0.0.1", type: "action", run() {} };`;
    const registry = { url: inject("registryServer"), token: undefined, allowPrivate: false };
    const supply = { registry, store: env.CODE, client: "test" };
    const made = await bundle({ entry: "a.mjs", files: { "a.mjs": code } }, supply);
    if (!made.ok) throw new Error(JSON.stringify(made.issues));
    await openCodeStore(env.CODE).putBundle(made.bundle);
    const key = { owner: newId("user"), bundleHash: made.bundle.hash };
    const keeper = env.SCRIPTS.getByName(env.DISPATCH_NAMESPACE);
    expect(await keeper.provide(key)).toEqual({ kind: "script" });
    const script = env.DISPATCH?.get(await scriptName(key)) as unknown as UserCode;
    expect(await script.describe()).toMatchObject({
      ok: true,
      answer: expect.stringContaining('"sum 780"'),
    });
  },
);
