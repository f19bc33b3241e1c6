import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { call, deployWorkflow, type DeployedWorkflow } from "../scripts/api.ts";
import { type Footprint, footprintOf } from "../scripts/footprint.ts";
import { type RunningPlatform, startPlatform } from "../scripts/platform.ts";

/** These runs load isolates and fill caches before the measurement. */
const WARM_UP_RUNS = 500;

const AT_ONCE = 4;

/** It responds, so that the next run begins after the end of the last one. */
const STEP = "export default { run({ $ }) { $.respond({ status: 200 }); return 1 } }";

/** Ended runs are deleted some seconds after their end, and memory is freed later. */
const REST_MS = 15_000;

/** The maximum leftovers of all measured runs; those of one run come on top of the history of a hundred. */
const ALLOWED: Footprint = { memoryMb: 120, descriptors: 10, files: 20, diskKb: 10_000 };

/** Run a workflow many times; its use of the machine must not grow with the runs. Returns whether it stayed. */
export async function soakWorkflows(runs: number): Promise<boolean> {
  const stateDir = await mkdtemp(join(tmpdir(), "wellspring-soak-"));
  const platform = await startPlatform({ stateDir });
  try {
    const workflow = await deployWorkflow(platform, [STEP]);
    await runMany(workflow, WARM_UP_RUNS);
    const before = await footprintAtRest(platform, stateDir);
    await runMany(workflow, runs);
    const after = await footprintAtRest(platform, stateDir);
    const history = await call<unknown[]>(platform, `/workflows/${workflow.id}/runs?limit=100`);
    return report(runs, before, after) && history.length === 100;
  } finally {
    await platform.stop();
    await rm(stateDir, { recursive: true });
  }
}

async function runMany({ trigger }: DeployedWorkflow, runs: number): Promise<void> {
  let left = runs;
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const response = await fetch(trigger.endpoint_url, { method: "POST", body: "{}" });
      if (!response.ok) throw new Error(`The trigger began no run: ${response.status}`);
      await response.text();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

async function footprintAtRest({ pid }: RunningPlatform, stateDir: string): Promise<Footprint> {
  await new Promise((done) => setTimeout(done, REST_MS));
  return footprintOf(pid, stateDir);
}

function report(runs: number, before: Footprint, after: Footprint): boolean {
  console.log(`\n| after ${runs} more runs | before | after | allowed growth |\n|---|---|---|---|`);
  const names = ["memoryMb", "descriptors", "files", "diskKb"] as const;
  for (const name of names)
    console.log(
      `| ${name} | ${before[name].toFixed(0)} | ${after[name].toFixed(0)} | ${ALLOWED[name]} |`,
    );
  return names.every((name) => after[name] - before[name] <= ALLOWED[name]);
}
