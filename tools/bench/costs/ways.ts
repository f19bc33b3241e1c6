import { randomUUID } from "node:crypto";

import {
  call,
  type Caller,
  deploy,
  type DeployedSource,
  deployWorkflow,
} from "../../scripts/api.ts";
import { deploySubscribed, send, type Setting } from "../delivery.ts";
import { orderBody, post } from "../load.ts";
import { atRate, nameOf, type Rate } from "../rate.ts";
import { componentCode } from "../targets.ts";
import { createUser } from "../tenants.ts";
import { counted, pause, primed, settled, type Way } from "./counting.ts";
import type { CountingPlatform } from "./platform.ts";

/** The number of events, which decides on the duration. Workflows are counted at rates, by their numbers of steps. */
export type Extent = {
  quietSources: number;
  quietRounds: number;
  rates: readonly Rate[];
  timerWindowMs: number;
  workflows: readonly { steps: number; rate: Rate }[];
};

/** Events of a source that come one by one: an event's follow-up work, such as its usage report, ends meanwhile. */
const SPARSE_MS = 15_000;

const ONE_A_SECOND: Rate = { perSecond: 1, seconds: 45 };
const SATURATED: Rate = { perSecond: undefined, seconds: 10 };

/** A timer fires every 15 seconds at most: this many sources make one event a second. */
const TIMERS = 15;

/** All columns of the tables in docs/costs.md. An alarm follows two quiet events, so their rounds are even. */
export const WHOLE: Extent = {
  quietSources: 10,
  quietRounds: 4,
  rates: [ONE_A_SECOND, { perSecond: 100, seconds: 15 }, SATURATED],
  timerWindowMs: 60_000,
  workflows: [
    { steps: 1, rate: ONE_A_SECOND },
    { steps: 3, rate: ONE_A_SECOND },
    { steps: 3, rate: SATURATED },
  ],
};

/** Fewer events, and only the paths that `scale` simulates. Counts depend little on it. */
export const QUICK: Extent = {
  quietSources: 5,
  quietRounds: 2,
  rates: [
    { perSecond: 1, seconds: 20 },
    { perSecond: 100, seconds: 5 },
    { perSecond: undefined, seconds: 4 },
  ],
  timerWindowMs: 30_000,
  workflows: [{ steps: 1, rate: { perSecond: 1, seconds: 20 } }],
};

/** From this rate on, a source batches its events. */
const STREAM_PER_SECOND = 200;

const EMPTY_STEP = "export default { run() {} }";

type ReceivingSetting = Omit<Setting, "platform">;

/** An HTTP source with one webhook. */
export async function httpWays(
  receiving: ReceivingSetting,
  platform: CountingPlatform,
  extent: Extent,
): Promise<Way[]> {
  const setting = { platform, ...receiving };
  const url = await deploySubscribed(setting, await componentCode("stateless"));
  const path = "HTTP source, one webhook";
  const streams = await inTurn(extent.rates, async (rate) => {
    await primed(platform, [url]);
    return counted(platform, { path, ...ratedAs(rate), emitters: 1 }, async () => {
      const { size } = await send(setting, url, rate);
      await settled(platform);
      return async () => size;
    });
  });
  return [await sparseWay(receiving, platform, { path, extent }), ...streams];
}

/** Many sources, each of its own owner and with its own webhook, that receive an event now and then. */
async function sparseWay(
  receiving: ReceivingSetting,
  platform: CountingPlatform,
  { path, extent: { quietSources, quietRounds } }: { path: string; extent: Extent },
): Promise<Way> {
  const code = await componentCode("stateless");
  const owners = await newOwners(platform, { first: 0, length: quietSources });
  const urls = await inTurn(owners, (owner) =>
    deploySubscribed({ platform: owner, ...receiving }, code),
  );
  await primed(platform, urls);
  const name = { path, rate: "1 in 15 s", perSecond: 1 / 15, emitters: quietSources };
  return counted(platform, name, async () => {
    for (let round = 0; round < quietRounds; round += 1) {
      for (const url of urls) await post(url, orderBody(randomUUID()));
      await pause(SPARSE_MS);
    }
    await settled(platform);
    return async () => quietRounds * quietSources;
  });
}

async function newOwners(
  platform: CountingPlatform,
  { first, length }: { first: number; length: number },
): Promise<Caller[]> {
  const numbers = Array.from({ length }, (_, index) => first + index);
  return inTurn(numbers, async (number) => (await createUser(platform, number)).caller);
}

/** Sources, each of its own owner, with a timer and no listener. They are never idle, so the counts cover a span of their running. */
export async function timerWay(
  platform: CountingPlatform,
  { quietSources, timerWindowMs }: Extent,
): Promise<Way> {
  const code = await componentCode("ticking");
  const owners = await newOwners(platform, { first: quietSources, length: TIMERS });
  const sources = await inTurn(owners, async (owner) => ({
    owner,
    ...(await deploy(owner, code, "Timer")),
  }));
  await pause(SPARSE_MS);
  await platform.flush();
  // A tick of each timer.
  await pause(SPARSE_MS);
  const before = await emittedBy(sources);
  const name = { path: "timer source", rate: "1 in 15 s", perSecond: 1 / 15, emitters: TIMERS };
  const way = await counted(platform, name, async () => {
    await pause(timerWindowMs);
    return async () => (await emittedBy(sources)) - before;
  });
  for (const { owner, id } of sources)
    await call(owner, `/sources/${id}`, { active: false }, "PUT");
  return way;
}

/** Workflows, each run by a request. */
export async function workflowWays(
  platform: CountingPlatform,
  { workflows }: Extent,
): Promise<Way[]> {
  return inTurn(workflows, async ({ steps, rate }) => {
    const codes = Array.from({ length: steps }, () => EMPTY_STEP);
    const { trigger } = await deployWorkflow(platform, codes);
    await post(trigger.endpoint_url, "{}");
    await primed(platform, [trigger.endpoint_url]);
    const path = `workflow of ${steps} ${steps === 1 ? "step" : "steps"}`;
    return counted(platform, { path, ...ratedAs(rate), emitters: 1 }, async () => {
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

/** Events sent without a pause count for streams of a few hundred events a second and more. */
function ratedAs(rate: Rate): Pick<Way, "perSecond" | "rate"> {
  return { rate: nameOf(rate), perSecond: rate.perSecond ?? STREAM_PER_SECOND };
}

async function emittedBy(
  sources: readonly (DeployedSource & { owner: Caller })[],
): Promise<number> {
  const totals = await inTurn(sources, async ({ owner, id }) => {
    const summaries = await call<unknown[]>(owner, `/sources/${id}/event_summaries?limit=100`);
    return summaries.length;
  });
  return totals.reduce((sum, total) => sum + total, 0);
}

async function inTurn<T, R>(list: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const one of list) results.push(await work(one));
  return results;
}
