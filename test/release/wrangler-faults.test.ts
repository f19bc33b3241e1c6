// @runs first

import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, test } from "vitest";

import { refusal } from "../support/cloudflare/api.ts";
import { PASSING } from "../support/cloudflare/passing-faults.ts";
import { BASE } from "../support/cloudflare/server.ts";
import { newOperator, firstWords } from "../support/operator.ts";

/** The faults for wrangler; a timeout of each of its calls would last minutes. */
const OF_WRANGLER = PASSING.filter(([name]) => /^(502|a truncated response)/.test(name));

test.for(OF_WRANGLER)("each call of wrangler survives %s", async ([, fault]) => {
  const { cloudflare, deploy } = await newOperator();
  await cloudflare.worker.query("SELECT 1");
  cloudflare.faults.failEachOnce(fault);
  const lines = await deploy();
  expect(lines.at(-1)).toContain("https://wellspring.wellspring-023e105f.workers.dev/v1");
  expect(cloudflare.unrouted).toEqual([]);
  expect(cloudflare.worker.consumed).toEqual(new Set(["emissions"]));
});

/** Every call that changes anything, in order, with the message of its rejection. */
const POINTS: [call: string, message: RegExp][] = [
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

test("the next run completes a run that ended at any point, with the same secrets", async () => {
  const { cloudflare, deploy, secretsFolder } = await newOperator();
  const file = join(secretsFolder, "production.env");
  let kept: string | undefined;
  for (const [call, message] of POINTS) {
    cloudflare.faults.recover();
    // An exact match of the call: the upload of one Worker is no upload of another.
    const isWhole = call.endsWith("wellspring");
    cloudflare.faults.fail(isWhole ? `${call}$` : call, { answer: refusal(400, 7400, "No") });
    await expect(deploy()).rejects.toThrow(message);
    kept ??= await readFile(file, "utf8");
  }
  cloudflare.faults.recover();
  const lines = await deploy();
  expect(firstWords(lines)).toContain("attached");
  expect(cloudflare.worker.consumed).toEqual(new Set(["emissions"]));
  expect(await readFile(file, "utf8")).toContain(kept);
  expect([...cloudflare.databases.keys()]).toEqual(["wellspring"]);
});
