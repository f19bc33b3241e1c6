import { once } from "node:events";
import { createServer } from "node:http";

import { call } from "../scripts/api.ts";
import { type RunningPlatform, startPlatform } from "../scripts/platform.ts";
import { median, percentile } from "./statistics.ts";
import { withFolder } from "./targets.ts";

const CALLS_A_ROUND = 200;

/** Actions that run once each, on a fresh platform. */
const COLD_ACTIONS = 10;

/** The size of each action's code, in bytes. */
const COLD_BYTES = 1_300_000;

const STASHED_BYTES = 1024 * 1024;

/** Durations of calls in milliseconds, in their order. */
type Times = number[];

/** Measure the time to run an action beside a bare request to the same API, in alternation. */
export function measureActions(rounds: number): Promise<void> {
  return withFolder(async (stateDir) => {
    const api = await startApi();
    const variables = { RATE_LIMIT: "1000000" };
    try {
      const platform = await startPlatform({ stateDir, variables });
      const cold: string[] = [];
      try {
        await measureWarm(platform, api.url, rounds);
        for (let index = 0; index < COLD_ACTIONS; index += 1)
          cold.push(await saved(platform, largeAction(index)));
      } finally {
        await platform.stop();
      }
      const again = await startPlatform({ stateDir, variables });
      try {
        await measureCold(again, api.url, cold);
      } finally {
        await again.stop();
      }
    } finally {
      await api.stop();
    }
  });
}

async function measureWarm(platform: RunningPlatform, url: string, rounds: number): Promise<void> {
  const [fetching, stashing] = [
    await saved(platform, FETCHING),
    await saved(platform, stashingAction()),
  ];
  const sides = {
    bare: () => bare(url),
    action: () => run(platform, fetching, { url }),
    "action with a stash of 1 MB": () => run(platform, stashing, { url }, "NEW"),
  };
  const samples = new Map<string, { p50Ms: number; p99Ms: number }[]>();
  for (let round = 0; round <= rounds; round += 1)
    for (const [name, send] of Object.entries(sides)) {
      const times: Times = [];
      for (let made = 0; made < CALLS_A_ROUND; made += 1) times.push(await timed(send));
      // The first round is a warm-up.
      if (round > 0) samples.set(name, [...(samples.get(name) ?? []), summary(times)]);
    }
  console.log("| call | p50 ms | p99 ms | p50 over bare | p99 over bare |\n|---|---|---|---|---|");
  const [first = []] = samples.values();
  for (const [name, sample] of samples) {
    const p50 = median(sample.map(({ p50Ms }) => p50Ms));
    const p99 = median(sample.map(({ p99Ms }) => p99Ms));
    const over50 = median(sample.map(({ p50Ms }, round) => p50Ms - (first[round]?.p50Ms ?? 0)));
    const over99 = median(sample.map(({ p99Ms }, round) => p99Ms - (first[round]?.p99Ms ?? 0)));
    const times = [p50, p99, over50, over99].map((ms) => ms.toFixed(1));
    console.log(`| ${[name, ...times].join(" | ")} |`);
  }
}

async function measureCold(platform: RunningPlatform, url: string, ids: string[]): Promise<void> {
  const overheads: number[] = [];
  for (const id of ids) {
    const bareMs = await timed(() => bare(url));
    const actionMs = await timed(() => run(platform, id, { url }));
    overheads.push(actionMs - bareMs);
  }
  const size = (COLD_BYTES / 1e6).toFixed(1);
  console.log(
    `\nThe first run of an action of ${size} MB takes ${median(overheads).toFixed(0)} ms more than a bare request (median of ${ids.length}; the slowest ${Math.max(...overheads).toFixed(0)} ms).`,
  );
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAtMs = performance.now();
  await work();
  return performance.now() - startedAtMs;
}

function summary(times: Times): { p50Ms: number; p99Ms: number } {
  const sorted = times.toSorted((a, b) => a - b);
  return { p50Ms: percentile(sorted, 0.5), p99Ms: percentile(sorted, 0.99) };
}

async function bare(url: string): Promise<void> {
  const response = await fetch(url, { method: "POST", body: `{"size":1}` });
  await response.json();
}

async function run(
  platform: RunningPlatform,
  id: string,
  props: object,
  stash?: string,
): Promise<void> {
  const result = await call<{ ret: { ok: boolean } | null; os: unknown[] }>(
    platform,
    "/actions/run",
    { component_id: id, configured_props: props, ...(stash !== undefined && { stash_id: stash }) },
  );
  if (result.ret?.ok !== true) throw new Error(`The action failed: ${JSON.stringify(result.os)}`);
}

async function saved(platform: RunningPlatform, code: string): Promise<string> {
  const { id } = await call<{ id: string }>(platform, "/components", { component_code: code });
  return id;
}

const FETCHING = `export default {
  name: "Fetching", version: "0.0.1", type: "action",
  props: { url: { type: "string" } },
  async run() {
    const response = await fetch(this.url, { method: "POST", body: '{"size":1}' });
    return response.json();
  },
};`;

function stashingAction(): string {
  return `import { writeFileSync } from "node:fs";
    const text = "x".repeat(${STASHED_BYTES});
    ${FETCHING.replace("async run() {", 'async run() { writeFileSync("/tmp/file.txt", text);')}`;
}

/** Functions that differ, so that no two actions share a bundle, and that the engine has to parse. */
function largeAction(index: number): string {
  const lines: string[] = [];
  for (let size = 0; size < COLD_BYTES; size += 100)
    lines.push(
      `  f${size}(a, b) { const total = a * ${size} + b * ${index}; return [total, "${String(size).padStart(30, "-")}"]; },`,
    );
  return `const library = {\n${lines.join("\n")}\n};
    ${FETCHING.replace("async run() {", "async run() { library.f0(1, 2);")}`;
}

/** An API on loopback that responds at once. */
async function startApi(): Promise<{ url: string; stop(): Promise<void> }> {
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader("content-type", "application/json");
    response.end(`{"ok":true}`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No port was assigned");
  return {
    url: `http://127.0.0.1:${address.port}/`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
