import "../scripts/help.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import * as fc from "fast-check";

import { type RunningPlatform, startPlatform } from "../scripts/platform.ts";
import { readOperations } from "./document.ts";
import { Judge } from "./judge.ts";
import { populate } from "./populate.ts";
import { requestsTo } from "./requests.ts";
import { send } from "./send.ts";
import { Tally } from "./tally.ts";
import { World } from "./world.ts";

/** The number of requests generated at a time. */
const CHUNK = 100;

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "5000" },
    seed: { type: "string", default: "20261121" },
    only: { type: "string" },
  },
});

const stateDir = await mkdtemp(join(tmpdir(), "wellspring-fuzz-"));
// Each request names a client of its own, as a proxy would: wrong tokens are limited by address.
const variables = { TRUSTED_PROXIES: "127.0.0.1", ALLOW_PRIVATE_TARGETS: "true" };
const platform = await startPlatform({ stateDir, variables });
try {
  await fuzz(platform);
} finally {
  await platform.stop();
  await rm(stateDir, { recursive: true, force: true });
}

async function fuzz(running: RunningPlatform): Promise<void> {
  const { only = "" } = values;
  const [requests, seed] = [Number(values.requests), Number(values.seed)];
  const all = await readOperations(running);
  const operations = all.filter(({ method, path }) => `${method} ${path}`.includes(only));
  const world = new World();
  const { tokens, join: rejoin } = await populate(running, world);
  const [judge, tally] = [new Judge(), new Tally(operations)];
  const origin = new URL(running.url).origin;
  const startedAtMs = performance.now();
  for (let done = 0; done < requests; done += CHUNK) {
    const numRuns = Math.min(CHUNK, requests - done);
    await rejoin();
    for (const request of fc.sample(requestsTo(operations), { numRuns, seed: seed + done })) {
      const { answer, sent } = await send(origin, request, { world, tokens });
      if (answer.status < 300) world.record(answer.text);
      if (answer.status === 204) world.forget(sent);
      const fault = judge.fault(request, answer);
      tally.note(request, answer, fault === undefined ? undefined : { fault, sent });
    }
  }
  const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1);
  console.log(`${requests} requests of seed ${seed} in ${seconds} s`);
  if (!tally.report()) process.exitCode = 1;
}
