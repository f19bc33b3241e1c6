import "../scripts/help.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { call, type DeployedWorkflow, deployWorkflow, type Run, runOf } from "../scripts/api.ts";
import { freePort } from "../scripts/local/ports.ts";
import { type RunningPlatform, startPlatform } from "../scripts/platform.ts";
import { startReceiver } from "../scripts/receiver.ts";
import { soakWorkflows } from "./workflow-soak.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "10" },
    runs: { type: "string", default: "2000" },
  },
});

const STEPS = 10;
const STEP_MS = 100;

/** The kill comes during the run, at a random moment. */
const LIFE_MS = { least: 150, most: STEPS * STEP_MS };
const END_TIMEOUT_MS = 60_000;

const stateDir = await mkdtemp(join(tmpdir(), "wellspring-chaos-"));
const port = await freePort();
const receiver = await startReceiver();
const start = () => startPlatform({ stateDir, port });

let isSound = true;
const workflow = await deployTenSteps();
console.log(
  "| kill | steps begun before | resumed at | run again | state | ms from start to end |",
);
console.log("|---|---|---|---|---|---|");
for (let round = 1; round <= Number(values.rounds); round += 1)
  isSound = (await killDuringRun(round)) && isSound;
receiver.close();
if (isSound) await rm(stateDir, { recursive: true });
else console.error(`\nThe state remains in ${stateDir}`);
const isFlat = await soakWorkflows(Number(values.runs));
process.exitCode = isSound && isFlat ? 0 : 1;

/** Each step reports its start to the receiver, then waits. */
async function deployTenSteps(): Promise<DeployedWorkflow> {
  const platform = await start();
  const codes = Array.from(
    { length: STEPS },
    (_, index) => `export default { async run({ steps, $ }) {
      await fetch("${receiver.url}/" + $.context.id + "/${index}", { method: "POST" });
      await new Promise((done) => setTimeout(done, ${STEP_MS}));
      return (steps["step_${index - 1}"]?.$return_value ?? 0) + 1;
    } }`,
  );
  const deployed = await deployWorkflow(platform, codes);
  await platform.kill();
  return deployed;
}

async function killDuringRun(round: number): Promise<boolean> {
  const dying = await start();
  void fetch(workflow.trigger.endpoint_url, { method: "POST", body: "{}" }).catch(() => {});
  const runId = await newRun(dying, round);
  await wait(LIFE_MS.least + Math.random() * (LIFE_MS.most - LIFE_MS.least));
  await dying.kill();
  const before = begun(runId);

  const startedMs = performance.now();
  const platform = await start();
  const run = await untilEnded(platform, runId);
  const elapsedMs = performance.now() - startedMs;
  await platform.stop();
  return report(round, { before, all: begun(runId), run, elapsedMs });
}

async function newRun(platform: RunningPlatform, round: number): Promise<string> {
  for (;;) {
    const runs = await call<Run[]>(platform, `/workflows/${workflow.id}/runs?limit=100`);
    const [last] = runs;
    if (last && runs.length === round) return last.id;
    await wait(5);
  }
}

async function untilEnded(platform: RunningPlatform, runId: string): Promise<Run> {
  const deadline = performance.now() + END_TIMEOUT_MS;
  for (;;) {
    const run = await runOf(platform, workflow, runId);
    if (run.ended_at_ms !== null || performance.now() > deadline) return run;
    await wait(50);
  }
}

/** The started steps of a run in order, with repetitions. */
function begun(runId: string): number[] {
  return receiver.received
    .map(({ path }) => path.split("/"))
    .filter(([, id]) => id === runId)
    .map(([, , step]) => Number(step));
}

/** Only the step in progress when the process died may have started twice. */
function report(
  round: number,
  { before, all, run, elapsedMs }: { before: number[]; all: number[]; run: Run; elapsedMs: number },
): boolean {
  const inFlight = before.at(-1);
  const again = all.filter((step, index) => all.indexOf(step) !== index);
  const last = run.steps.at(-1)?.exports["$return_value"];
  const cells = [
    round,
    before.length,
    all[before.length] ?? "-",
    again.join(" ") || "-",
    run.state,
    elapsedMs.toFixed(0),
  ];
  console.log(`| ${cells.join(" | ")} |`);
  return (
    run.state === "succeeded" &&
    last === STEPS &&
    again.length <= 1 &&
    again.every((step) => step === inFlight)
  );
}

function wait(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
