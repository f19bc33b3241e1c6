import { deployWorkflow, runToEnd } from "../scripts/api.ts";
import type { RunningPlatform } from "../scripts/platform.ts";
import { percentile } from "./statistics.ts";
import { withPlatform, withWorker } from "./targets.ts";

/** The maximum ratio of a run's duration to the bare engine's with as many empty steps. */
const MAX_OF_BARE = 2;

const STEPS = [1, 3, 10];
const RUNS_A_ROUND = 60;
const EMPTY_STEP = "export default { run() {} }";

type Measure = () => Promise<number>;

/** Measure from the trigger of a run to its end, beside the bare engine's runs of as many empty steps. */
export async function measureWorkflows(rounds: number): Promise<void> {
  console.log("\nFrom the trigger of a workflow to the end of its run:\n");
  console.log(
    "| steps | p50 ms | p99 ms | bare p50 ms | bare p99 ms | p50 of bare | p99 of bare |",
  );
  console.log("|---|---|---|---|---|---|---|");
  await withWorker("engine", (bareUrl) =>
    withPlatform(async (platform) => {
      for (const steps of STEPS) await measureSteps(platform, bareUrl, { steps, rounds });
    }),
  );
}

async function measureSteps(
  platform: RunningPlatform,
  bareUrl: string,
  { steps, rounds }: { steps: number; rounds: number },
): Promise<void> {
  const ours = await measureOurs(platform, steps);
  const bare = () => measureBare(bareUrl, steps);
  // Warm-up: the first runs wake isolates and objects.
  await measureRuns(ours, RUNS_A_ROUND);
  await measureRuns(bare, RUNS_A_ROUND);
  const [ourMs, bareMs]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    ourMs.push(...(await measureRuns(ours, RUNS_A_ROUND)));
    bareMs.push(...(await measureRuns(bare, RUNS_A_ROUND)));
  }
  report(steps, { ourMs, bareMs });
}

function report(steps: number, { ourMs, bareMs }: { ourMs: number[]; bareMs: number[] }): void {
  const ms = [of(ourMs, 0.5), of(ourMs, 0.99), of(bareMs, 0.5), of(bareMs, 0.99)];
  const ratios = [0.5, 0.99].map((share) => of(ourMs, share) / of(bareMs, share));
  const cells = [steps, ...ms.map((one) => one.toFixed(1)), ...ratios.map((one) => one.toFixed(2))];
  console.log(`| ${cells.join(" | ")} |`);
  if ((ratios[0] ?? 0) > MAX_OF_BARE) process.exitCode = 1;
}

function of(list: readonly number[], share: number): number {
  return percentile(
    list.toSorted((a, b) => a - b),
    share,
  );
}

async function measureRuns(measure: Measure, count: number): Promise<number[]> {
  const ms: number[] = [];
  for (let index = 0; index < count; index += 1) ms.push(await measure());
  return ms;
}

async function measureOurs(platform: RunningPlatform, steps: number): Promise<Measure> {
  const workflow = await deployWorkflow(
    platform,
    Array.from({ length: steps }, () => EMPTY_STEP),
  );
  return async () => {
    const run = await runToEnd(platform, workflow);
    if (run.state !== "succeeded") throw new Error(`The run ${run.id} is ${run.state}`);
    return (run.ended_at_ms ?? Number.NaN) - run.queued_at_ms;
  };
}

async function measureBare(url: string, steps: number): Promise<number> {
  const begun = await fetch(`${url}${steps}`, { method: "POST", body: "{}" });
  const { id }: { id: string } = JSON.parse(await begun.text());
  for (;;) {
    await new Promise((done) => setTimeout(done, 5));
    const answer = await fetch(`${url}${id}`);
    const { isDone, ms }: { isDone: boolean; ms: number } = JSON.parse(await answer.text());
    if (isDone) return ms;
  }
}
