import { setTimeout as wait } from "node:timers/promises";

import { call, type Caller, type DeployedSource, deploy, endpointOf } from "../scripts/api.ts";
import type { RunningPlatform } from "../scripts/platform.ts";
import { percentile } from "./statistics.ts";
import { withPlatform } from "./targets.ts";
import { otherUser } from "./tenants.ts";

const sourceOf = (http: string, body: string): string =>
  `export default { name: "Source", version: "0.0.1", props: { http: ${http} }, async run() { ${body} } };`;

const RESPONDING = sourceOf(
  `{ type: "$.interface.http", customResponse: true }`,
  `this.http.respond({ status: 200, body: "ok" });`,
);

const LOOPING = sourceOf(
  `"$.interface.http"`,
  "await new Promise((done) => setTimeout(done, 700)); for (;;);",
);

const PING_MS = 50;
const ROUND_MS = 2500;

/** The time after which a client hangs up. */
const LEAVE_MS = 1500;

/** Maximum time to wait for usual responses after an attack: this many in a row within this time. */
const RECOVERY_MS = 120_000;
const USUAL_MS = 500;
const USUAL_COUNT = 20;

type Attack = { sources: number; meanwhile: "" | "deletion" | "hang-up" };

const ATTACKS: readonly Attack[] = [
  { sources: 0, meanwhile: "" },
  { sources: 12, meanwhile: "" },
  { sources: 30, meanwhile: "" },
  { sources: 12, meanwhile: "deletion" },
  { sources: 12, meanwhile: "hang-up" },
];

type Ping = { status: number; ms: number };

/**
 * Print the results of one owner's endpoint, requested every 50 ms, while another owner's sources loop in the same process, and
 * while these are deleted or their clients hang up.
 */
export async function measureLoopingSources(seconds: number): Promise<void> {
  console.log(
    "\n| looping sources | meanwhile | calls | failed | p50 ms | p99 ms | slowest ms | usual after s |",
  );
  console.log("|---|---|---|---|---|---|---|---|");
  for (const attack of ATTACKS)
    await withPlatform((platform) => measure(platform, attack, seconds), { SANDBOXES: "1" });
}

async function measure(
  platform: RunningPlatform,
  { sources, meanwhile }: Attack,
  seconds: number,
): Promise<void> {
  const victim = endpointOf(await deploy(platform, RESPONDING));
  const attacker = await otherUser(platform);
  const hostile: DeployedSource[] = [];
  while (hostile.length < sources) hostile.push(await deploy(attacker, LOOPING));
  const end = new AbortController();
  const pings = repeated(victim, end.signal);
  await strike(attacker, hostile, { meanwhile, rounds: Math.ceil((seconds * 1000) / ROUND_MS) });
  const usualMs = await untilUsual(victim);
  end.abort();
  const all = await pings;
  const times = all.map(({ ms }) => Math.round(ms)).toSorted((a, b) => a - b);
  const figures = [
    all.length,
    all.filter(({ status }) => status !== 200).length,
    percentile(times, 0.5),
    percentile(times, 0.99),
    times.at(-1),
    (usualMs / 1000).toFixed(1),
  ];
  console.log(`| ${[sources, meanwhile, ...figures].join(" | ")} |`);
}

/** Send rounds of requests, one to each source, and delete sources or hang up meanwhile. */
async function strike(
  attacker: Caller,
  hostile: readonly DeployedSource[],
  { meanwhile, rounds }: { meanwhile: Attack["meanwhile"]; rounds: number },
): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    for (const source of hostile) {
      const signal = meanwhile === "hang-up" ? AbortSignal.timeout(LEAVE_MS) : null;
      fetch(endpointOf(source), { method: "POST", body: "{}", signal }).catch(() => undefined);
    }
    await wait(ROUND_MS);
    if (meanwhile !== "deletion") continue;
    const source = hostile[round];
    if (source) call(attacker, `/sources/${source.id}`, undefined, "DELETE").catch(() => undefined);
  }
}

async function repeated(url: string, until: AbortSignal): Promise<Ping[]> {
  const pings: Promise<Ping>[] = [];
  while (!until.aborted) {
    pings.push(ping(url));
    await wait(PING_MS);
  }
  return Promise.all(pings);
}

async function ping(url: string): Promise<Ping> {
  const startMs = performance.now();
  const status = await fetch(url, { method: "POST", body: "{}" }).then(
    async (response) => {
      await response.arrayBuffer();
      return response.status;
    },
    () => 0,
  );
  return { status, ms: performance.now() - startMs };
}

/** Resolves to the milliseconds until responses are usual. */
async function untilUsual(url: string): Promise<number> {
  const startMs = performance.now();
  let usual = 0;
  while (usual < USUAL_COUNT && performance.now() - startMs < RECOVERY_MS)
    usual = (await ping(url)).ms < USUAL_MS ? usual + 1 : 0;
  return performance.now() - startMs;
}
