import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { newId, newToken } from "#domain/ids.ts";
import { openCodeStore } from "#sandbox/code-store.ts";
import { scriptName } from "#sandbox/script.ts";

import { plan } from "../support/cloudflare/client.ts";
import type { Fault } from "../support/cloudflare/faults.ts";
import { oneModule } from "../support/deploy.ts";
import { linesOf, pointsOf } from "../support/telemetry.ts";

const CODE = `export default { name: "x", version: "0.0.1", type: "action", run() {} }`;

const REFUSAL: Fault = {
  answer: {
    status: 400,
    text: `{"success":false,"errors":[{"code":10021,"message":"no"}],"messages":[],"result":null}`,
  },
};

const keeper = env.SCRIPTS.getByName(env.DISPATCH_NAMESPACE);

test.for<[string, Fault[]]>([
  ["script", []],
  ["failed", [REFUSAL]],
])("logs and measures an upload with the outcome %s once", async ([outcome, faults]) => {
  const key = { owner: newId("user"), bundleHash: newToken() };
  await openCodeStore(env.CODE).putBundle(oneModule(key.bundleHash, CODE));
  const script = await scriptName(key);
  await plan(script, { faults });
  const lines: unknown[] = [];
  const points = await pointsOf(async () => {
    lines.push(
      ...(await linesOf("info", async () => {
        await keeper.provide(key);
        if (outcome === "script") await keeper.provide(key);
      })),
    );
  });
  const expected = { script, owner_id: key.owner, outcome, duration_ms: expect.any(Number) };
  // Work of other tests may write lines meanwhile, too.
  const ofScript = (one: unknown) => (one as Record<string, unknown>)["script"] === script;
  expect(lines.filter(ofScript)).toMatchObject([{ event: "script_uploaded", ...expected }]);
  expect(points.filter(ofScript)).toMatchObject([{ kind: "upload", count: 1, ...expected }]);
});
