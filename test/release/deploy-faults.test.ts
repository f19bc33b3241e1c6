import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, test } from "vitest";

import { refusal } from "../support/cloudflare/api.ts";
import type { Fault } from "../support/cloudflare/faults.ts";
import { BASE } from "../support/cloudflare/server.ts";
import { newOperator, told } from "../support/operator.ts";

/** Everything that goes wrong between us and the API, and may go well the next time. */
const PASSING: [string, Fault][] = [
  ["429", { answer: { ...refusal(429), headers: { "retry-after": "0" } } }],
  ["409", { answer: refusal(409) }],
  ["409 to what took effect", { answer: refusal(409), isApplied: true }],
  ["500 without an envelope", { answer: { status: 500, text: "<h1>Oops</h1>" } }],
  ["502 to what took effect", { answer: { status: 502, text: "" }, isApplied: true }],
  ["503", { answer: refusal(503) }],
  ["a time-out", { answer: "hang" }],
  ["a time-out of what took effect", { answer: "hang", isApplied: true }],
  ["a reset connection", { answer: "reset" }],
  ["a reset connection of what took effect", { answer: "reset", isApplied: true }],
  ["an answer cut short", { answer: "cut" }],
  ["success that is no JSON", { answer: { status: 200, text: "OK" } }],
  ["success that is no envelope", { answer: { status: 200, text: `{"result":{}}` } }],
  ["success that ends too soon", { answer: { status: 200, text: `{"success":true,"resu` } }],
  ["a status of success that denies it", { answer: { ...refusal(500), status: 200 } }],
];

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
  await expect(deploy({}, {}, { callMs: 500, wranglerMs: 1 })).rejects.toThrow(
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

/** What wrangler meets; a time-out of each of its calls would take it minutes. */
const OF_WRANGLER = PASSING.filter(([name]) => /^(502|an answer cut)/.test(name));

test.for(OF_WRANGLER)(
  "each call of wrangler survives %s",
  { timeout: 300_000 },
  async ([, fault]) => {
    const { cloudflare, deploy } = await newOperator();
    await cloudflare.worker.query("SELECT 1");
    cloudflare.faults.failEachOnce(fault);
    const lines = await deploy();
    expect(lines.at(-1)).toContain("https://wellspring.wellspring-023e105f.workers.dev/v1");
    expect(cloudflare.unrouted).toEqual([]);
    expect(cloudflare.worker.consumed).toEqual(new Set(["emissions"]));
  },
);

const OUTAGES: [string, Fault, string][] = [
  ["fails", { answer: refusal(500) }, "https://www.cloudflarestatus.com"],
  ["does not answer", { answer: "reset" }, "it does not answer"],
  ["is limited", { answer: refusal(429) }, "Its rate limit lasts five minutes"],
  ["is forbidden", { answer: refusal(403, 10_000) }, "Give CLOUDFLARE_API_TOKEN the permission"],
  ["is refused", { answer: refusal(400, 7400, "No such thing") }, "No such thing (code 7400)"],
];

test.for(OUTAGES)("a call that %s every time is told with what to do", async ([, fault, words]) => {
  const { cloudflare, deploy } = await newOperator();
  await cloudflare.worker.query("SELECT 1");
  for (const call of OWN_CALLS) {
    cloudflare.faults.recover();
    cloudflare.faults.fail(call.replace(/….*/, ""), fault);
    const outcome = deploy({}, {}, { callMs: 500, wranglerMs: 1 });
    await expect(outcome).rejects.toThrow(words);
    await expect(outcome).rejects.toThrow(/Cloudflare's API did not \w+ /);
  }
});

test("R2 that is not enabled is said to be", async () => {
  const { cloudflare, deploy } = await newOperator();
  const message = "Please enable R2 through the Cloudflare Dashboard.";
  cloudflare.faults.fail(`POST ${BASE}/r2`, { answer: refusal(403, 10_042, message) });
  await expect(deploy()).rejects.toThrow(/Enable R2 at https:\/\/dash/);
});

/** Every call that changes anything, in order, with what is told when it is refused. */
const POINTS: [call: string, said: RegExp][] = [
  [`PUT ${BASE}/workers/scripts/wellspring-probe`, /upload the Worker wellspring-probe/],
  [`DELETE ${BASE}/workers/scripts/wellspring-probe`, /delete the Worker wellspring-probe/],
  [`POST ${BASE}/d1/database`, /create the D1 database/],
  [`POST ${BASE}/r2/buckets`, /create the R2 bucket/],
  [`POST ${BASE}/queues`, /create the queue/],
  [`POST ${BASE}/workers/dispatch/namespaces`, /create the dispatch namespace/],
  [`PUT ${BASE}/workers/subdomain`, /create the workers.dev subdomain/],
  [`POST ${BASE}/d1/database/`, /read which migrations are applied/],
  [`PUT ${BASE}/workers/scripts/wellspring-outbound`, /upload the Worker wellspring-outbound/],
  [`PUT ${BASE}/workers/scripts/wellspring-bundler`, /upload the Worker wellspring-bundler/],
  [`PUT ${BASE}/workers/scripts/wellspring`, /upload the Worker wellspring:/],
  [`PUT ${BASE}/workers/scripts/wellspring/schedules`, /(upload|attach) the Worker wellspring:/],
  [`PUT ${BASE}/workflows/`, /(upload|attach) the Worker wellspring:/],
];

test(
  "a run that ended at any point is ended by the next, with the same secrets",
  { timeout: 300_000 },
  async () => {
    const { cloudflare, deploy, secretsFolder } = await newOperator();
    const file = join(secretsFolder, "production.env");
    let kept: string | undefined;
    for (const [call, said] of POINTS) {
      cloudflare.faults.recover();
      // Not what begins so by chance: the upload of one Worker is no upload of another.
      const isWhole = call.endsWith("wellspring");
      cloudflare.faults.fail(isWhole ? `${call}$` : call, { answer: refusal(400, 7400, "No") });
      await expect(deploy()).rejects.toThrow(said);
      kept ??= await readFile(file, "utf8");
    }
    cloudflare.faults.recover();
    const lines = await deploy();
    expect(told(lines)).toContain("attached");
    expect(cloudflare.worker.consumed).toEqual(new Set(["emissions"]));
    expect(await readFile(file, "utf8")).toContain(kept);
    expect([...cloudflare.databases.keys()]).toEqual(["wellspring"]);
  },
);
