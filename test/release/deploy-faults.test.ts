import { expect, test } from "vitest";

import { refusal } from "../support/cloudflare/api.ts";
import type { Fault } from "../support/cloudflare/faults.ts";
import { PASSING } from "../support/cloudflare/passing-faults.ts";
import { BASE } from "../support/cloudflare/server.ts";
import { newOperator } from "../support/operator.ts";

/** The API calls of a first deployment before wrangler runs, without the ids of created resources. */
const OWN_CALLS = [
  `GET ${BASE}/workers/scripts/wellspring/settings`,
  `GET ${BASE}/workers/scripts/wellspring-bundler/settings`,
  `PUT ${BASE}/workers/scripts/wellspring-probe`,
  `DELETE ${BASE}/workers/scripts/wellspring-probe`,
  `GET ${BASE}/d1/database`,
  `POST ${BASE}/d1/database`,
  `GET ${BASE}/r2/buckets/wellspring-code`,
  `POST ${BASE}/r2/buckets`,
  `GET ${BASE}/queues`,
  `POST ${BASE}/queues`,
  `GET ${BASE}/workers/dispatch/namespaces/wellspring-components`,
  `POST ${BASE}/workers/dispatch/namespaces`,
  `GET ${BASE}/workers/subdomain`,
  `PUT ${BASE}/workers/subdomain`,
  `POST ${BASE}/d1/database/…/query`,
];

test.for(PASSING)("each of our own calls survives %s", async ([, fault]) => {
  const { cloudflare, deploy } = await newOperator();
  // A database on its first start is slower than the timeout of a call here.
  await cloudflare.worker.query("SELECT 1");
  cloudflare.faults.failEachOnce(fault);
  // Wrangler, with a timeout of zero, ends the run: the calls before it are our own.
  const callMs = fault.answer === "hang" ? 1000 : 30_000;
  await expect(deploy({}, {}, { callMs, wranglerMs: 1 })).rejects.toThrow(
    "wrangler did not apply the migrations",
  );
  const called = new Set(cloudflare.calls.map((call) => call.replace(/[0-9a-f-]{36}/, "…")));
  expect([...called].toSorted()).toEqual(OWN_CALLS.toSorted());
  expect([...cloudflare.databases.keys()]).toEqual(["wellspring"]);
  expect([...cloudflare.buckets]).toEqual(["wellspring-code"]);
  expect([...cloudflare.queues.keys()]).toEqual(["emissions", "emissions-dead"]);
  expect(cloudflare.namespaces.names()).toEqual(["wellspring-components"]);
  expect(cloudflare.subdomain.name).toBe("wellspring-023e105f");
});

const OUTAGES: [string, Fault, string][] = [
  ["fails", { answer: refusal(500) }, "https://www.cloudflarestatus.com"],
  ["does not answer", { answer: "reset" }, "it does not respond"],
  ["is limited", { answer: refusal(429) }, "Its rate limit lasts five minutes"],
  ["is forbidden", { answer: refusal(403, 10_000) }, "Give CLOUDFLARE_API_TOKEN the permission"],
  ["is refused", { answer: refusal(400, 7400, "No such thing") }, "No such thing (code 7400)"],
];

test.for(OUTAGES)(
  "a deployment reports a call that %s every time with the next step",
  async ([, fault, words]) => {
    const { cloudflare, deploy } = await newOperator();
    await cloudflare.worker.query("SELECT 1");
    for (const call of OWN_CALLS) {
      cloudflare.faults.recover();
      cloudflare.faults.fail(call.replace(/….*/, ""), fault);
      const outcome = deploy({}, {}, { wranglerMs: 1 });
      await expect(outcome).rejects.toThrow(words);
      await expect(outcome).rejects.toThrow(/Cloudflare's API did not \w+ /);
    }
  },
);

test("a deployment reports that R2 is not enabled", async () => {
  const { cloudflare, deploy } = await newOperator();
  const message = "Please enable R2 through the Cloudflare Dashboard.";
  cloudflare.faults.fail(`POST ${BASE}/r2`, { answer: refusal(403, 10_042, message) });
  await expect(deploy()).rejects.toThrow(/Enable R2 at https:\/\/dash/);
});
