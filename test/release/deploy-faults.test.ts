import { expect, test } from "vitest";

import { refusal } from "../support/cloudflare/api.ts";
import type { Fault } from "../support/cloudflare/faults.ts";
import { PASSING } from "../support/cloudflare/passing-faults.ts";
import { BASE } from "../support/cloudflare/server.ts";
import { newOperator } from "../support/operator.ts";

/** What a first deployment asks of the API before it calls wrangler, but for the ids of what it has created. */
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

test.for(PASSING)("each call of our own survives %s", async ([, fault]) => {
  const { cloudflare, deploy } = await newOperator();
  // A database that has yet to start is slower than a call may be here.
  await cloudflare.worker.query("SELECT 1");
  cloudflare.faults.failEachOnce(fault);
  // Wrangler, which has no time at all, ends the run: what comes before it is our own.
  const callMs = fault.answer === "hang" ? 1000 : 5000;
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
  "a call that %s every time is reported with what to do",
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

test("R2 that is not enabled is said to be", async () => {
  const { cloudflare, deploy } = await newOperator();
  const message = "Please enable R2 through the Cloudflare Dashboard.";
  cloudflare.faults.fail(`POST ${BASE}/r2`, { answer: refusal(403, 10_042, message) });
  await expect(deploy()).rejects.toThrow(/Enable R2 at https:\/\/dash/);
});
