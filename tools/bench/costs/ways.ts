import { randomUUID } from "node:crypto";

import { call, deploy, type DeployedSource, deployWorkflow } from "../../scripts/api.ts";
import { deployHeard, send, type Setting } from "../delivery.ts";
import { orderBody, post } from "../load.ts";
import { atRate, nameOf, type Rate } from "../rate.ts";
import { componentCode } from "../targets.ts";
import type { CountingPlatform } from "./platform.ts";
import type { Counts, Measure } from "./tally.ts";

/** A path of events through the platform, at one rate, and the usage of each event. */
export type Way = {
  path: string;
  rate: string;
  /** The event rate of one source for which the counts hold. */
  perSecond: number;
  events: number;
  perEvent: Counts;
  cpuMs: number | undefined;
};

/** An alarm may fire thirty seconds after an event; of the work of an event, only the owner's write to D1 comes later. */
const QUIET_MS = 32_000;
const POLL_MS = 2000;

/** Events of a source that come one by one: an event's follow-up work, such as its usage report, ends meanwhile. */
const SPARSE_MS = 15_000;
const SPARSE_SOURCES = 10;
const SPARSE_ROUNDS = 3;

const ONE_A_SECOND: Rate = { perSecond: 1, seconds: 45 };
const SATURATED: Rate = { perSecond: undefined, seconds: 10 };
const RATES: readonly Rate[] = [ONE_A_SECOND, { perSecond: 100, seconds: 15 }, SATURATED];

/** A timer fires every 15 seconds at most: this many sources make one event a second. */
const TIMERS = 15;
const TIMER_WINDOW_MS = 60_000;

/** From this rate on, a source batches its events. */
const STREAM_PER_SECOND = 200;

const EMPTY_STEP = "export default { run() {} }";

/** An HTTP source with one webhook. */
export async function httpWays(setting: Setting, platform: CountingPlatform): Promise<Way[]> {
  const url = await deployHeard(setting, await componentCode("stateless"));
  const path = "HTTP source, one webhook";
  const streams = await inTurn(RATES, async (rate) => {
    await settled(platform);
    return counted(platform, { path, ...ratedAs(rate) }, async () => {
      const { size } = await send(setting, url, rate);
      await settled(platform);
      return async () => size;
    });
  });
  return [await sparseWay(setting, platform, path), ...streams];
}

/** Many sources, each with its own webhook, that receive an event now and then. */
async function sparseWay(setting: Setting, platform: CountingPlatform, path: string): Promise<Way> {
  const code = await componentCode("stateless");
  const urls = await inTurn(Array.from({ length: SPARSE_SOURCES }), () =>
    deployHeard(setting, code),
  );
  await settled(platform);
  return counted(platform, { path, rate: "1 in 15 s", perSecond: 1 / 15 }, async () => {
    for (let round = 0; round < SPARSE_ROUNDS; round += 1) {
      for (const url of urls) await post(url, orderBody(randomUUID()));
      await pause(SPARSE_MS);
    }
    await settled(platform);
    return async () => SPARSE_ROUNDS * SPARSE_SOURCES;
  });
}

/** Sources with a timer and no listener. They are never idle, so the counts cover a span of their running. */
export async function timerWay(platform: CountingPlatform): Promise<Way> {
  const code = await componentCode("ticking");
  const sources = await inTurn(Array.from({ length: TIMERS }, String), (name) =>
    deploy(platform, code, `Timer ${name}`),
  );
  await pause(SPARSE_MS);
  const before = await emittedBy(platform, sources);
  const way = await counted(
    platform,
    { path: "timer source", rate: "1 in 15 s", perSecond: 1 / 15 },
    async () => {
      await pause(TIMER_WINDOW_MS);
      return async () => (await emittedBy(platform, sources)) - before;
    },
  );
  for (const { id } of sources) await call(platform, `/sources/${id}`, { active: false }, "PUT");
  return way;
}

/** Workflows of one step and of three, each run by a request. */
export async function workflowWays(platform: CountingPlatform): Promise<Way[]> {
  const cases = [
    { steps: 1, rate: ONE_A_SECOND },
    { steps: 3, rate: ONE_A_SECOND },
    { steps: 3, rate: SATURATED },
  ];
  return inTurn(cases, async ({ steps, rate }) => {
    const codes = Array.from({ length: steps }, () => EMPTY_STEP);
    const { trigger } = await deployWorkflow(platform, codes);
    await post(trigger.endpoint_url, "{}");
    await settled(platform);
    const path = `workflow of ${steps} ${steps === 1 ? "step" : "steps"}`;
    return counted(platform, { path, ...ratedAs(rate) }, async () => {
      let runs = 0;
      await atRate(rate, async () => {
        runs += 1;
        await post(trigger.endpoint_url, "{}");
      });
      await settled(platform);
      return async () => runs;
    });
  });
}

/** Count the usage of work, which resolves to a function that returns the number of events once all of them ended. */
async function counted(
  platform: CountingPlatform,
  name: Pick<Way, "path" | "perSecond" | "rate">,
  work: () => Promise<() => Promise<number>>,
): Promise<Way> {
  const before = await readings(platform);
  const eventsOf = await work();
  const after = await readings(platform);
  const events = await eventsOf();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of counts are measures.
  const measures = Object.keys(after.counts) as Measure[];
  const perEvent = Object.fromEntries(
    measures.map((what) => [
      what,
      ((after.counts[what] ?? 0) - (before.counts[what] ?? 0)) / events,
    ]),
  );
  const cpuMs = platform.busyCpuMs(before, after);
  console.error(`counted: ${name.path}, ${name.rate}`);
  return { ...name, events, perEvent, cpuMs: cpuMs === undefined ? undefined : cpuMs / events };
}

/** Events sent without a pause count for streams of a few hundred events a second and more. */
function ratedAs(rate: Rate): Pick<Way, "perSecond" | "rate"> {
  return { rate: nameOf(rate), perSecond: rate.perSecond ?? STREAM_PER_SECOND };
}

async function readings(platform: CountingPlatform) {
  return { counts: await platform.counts(), ...(await platform.cpu()) };
}

/** Wait until the counts stay unchanged. */
async function settled({ counts }: CountingPlatform): Promise<void> {
  let last = "";
  for (let unchangedMs = 0; unchangedMs < QUIET_MS; unchangedMs += POLL_MS) {
    const now = JSON.stringify(await counts());
    if (now !== last) unchangedMs = 0;
    last = now;
    await pause(POLL_MS);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}

async function emittedBy(
  platform: CountingPlatform,
  sources: readonly DeployedSource[],
): Promise<number> {
  const totals = await inTurn(sources, async ({ id }) => {
    const summaries = await call<unknown[]>(platform, `/sources/${id}/event_summaries?limit=100`);
    return summaries.length;
  });
  return totals.reduce((sum, total) => sum + total, 0);
}

async function inTurn<T, R>(list: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const one of list) results.push(await work(one));
  return results;
}
