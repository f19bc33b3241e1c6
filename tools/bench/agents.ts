import { call } from "../scripts/api.ts";
import { mcp } from "../scripts/mcp.ts";
import { type RunningPlatform, startPlatform } from "../scripts/platform.ts";
import { measureAgentEvents } from "./agent-events.ts";
import { median, percentile } from "./statistics.ts";
import { withFolder } from "./targets.ts";

const CALLS_A_ROUND = 20;

/** The number of actions that a program of the bench runs, one after the other. */
const ACTIONS = 5;

const ADDING = `export default {
  key: "bench-add", name: "Add", version: "0.0.1", type: "action",
  props: { a: { type: "integer" }, b: { type: "integer" } },
  run() { return this.a + this.b; },
};`;

const PROGRAM = `let sum = 0;
  for (let n = 0; n < ${ACTIONS}; n += 1) sum = await run("bench-add", { a: sum, b: n });
  return sum;`;

/** Measure events to an agent's callback, and a program that runs actions beside these actions alone, in alternation. */
export function measureAgents(rounds: number): Promise<void> {
  return withFolder(async (stateDir) => {
    const platform = await startPlatform({ stateDir });
    try {
      await measureAgentEvents(platform);
      await call(platform, "/components", { component_code: ADDING });
      await measureExecute(platform, rounds);
    } finally {
      await platform.stop();
    }
  });
}

async function measureExecute(platform: RunningPlatform, rounds: number): Promise<void> {
  const sides = {
    [`${ACTIONS} actions, one run call each`]: () => alone(platform),
    [`${ACTIONS} actions by execute`]: () => tool(platform, "execute", { code: PROGRAM }),
  };
  const samples = new Map<string, { p50Ms: number; p99Ms: number }[]>();
  for (let round = 0; round <= rounds; round += 1)
    for (const [name, work] of Object.entries(sides)) {
      const times: number[] = [];
      for (let made = 0; made < CALLS_A_ROUND; made += 1) {
        const startedAtMs = performance.now();
        await work();
        times.push(performance.now() - startedAtMs);
        await paused();
      }
      const sorted = times.toSorted((a, b) => a - b);
      const summary = { p50Ms: percentile(sorted, 0.5), p99Ms: percentile(sorted, 0.99) };
      // The first round is a warm-up.
      if (round > 0) samples.set(name, [...(samples.get(name) ?? []), summary]);
    }
  console.log("| agent | p50 ms | p99 ms | p50 over the first |\n|---|---|---|---|");
  const [first = []] = samples.values();
  for (const [name, sample] of samples) {
    const over = median(sample.map(({ p50Ms }, round) => p50Ms - (first[round]?.p50Ms ?? 0)));
    const p50 = median(sample.map(({ p50Ms }) => p50Ms));
    const p99 = median(sample.map(({ p99Ms }) => p99Ms));
    console.log(`| ${[name, ...[p50, p99, over].map((ms) => ms.toFixed(1))].join(" | ")} |`);
  }
}

/** An agent may begin 100 runs in ten seconds: the bench stays below that. */
function paused(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ((ACTIONS + 1) * 10_000) / 90));
}

async function alone(platform: RunningPlatform): Promise<void> {
  for (let n = 0; n < ACTIONS; n += 1)
    await tool(platform, "run", { action: "bench-add", args: { a: n, b: n } });
}

function tool(platform: RunningPlatform, name: string, args: object): Promise<void> {
  return mcp(platform, "tools/call", { name, arguments: args });
}
