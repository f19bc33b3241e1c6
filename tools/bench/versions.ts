import { randomUUID } from "node:crypto";

import {
  call,
  type DeployedWorkflow,
  deploy,
  deployWorkflow,
  endpointOf,
  runToEnd,
} from "../scripts/api.ts";
import type { RunningPlatform } from "../scripts/platform.ts";
import type { Effort } from "./compare.ts";
import {
  deploySubscribed,
  latenciesOf,
  send,
  type Setting,
  subscribe,
  until,
  withReceiver,
} from "./delivery.ts";
import { load, orderBody, post, type Target } from "./load.ts";
import { withSides } from "./sides.ts";
import { median, percentile } from "./statistics.ts";
import { componentCode, sourceTarget } from "./targets.ts";

const RUNS = 20;
const LISTS = 50;
const SAVES = 5;
const FAN_OUTS = [100, 1000];

/** The figures of one round, by name: higher is better for events a second, lower for milliseconds. */
type Figures = Record<string, number>;

type Path = (seconds: number) => Promise<Figures>;

/**
 * Measure the delays of callers on this checkout's platform and on that of `base`, in alternation. Both run users' code
 * in their own process and print event lines, if their release has these settings.
 */
export function measureVersions(base: string | undefined, effort: Effort): Promise<void> {
  const variables = { SANDBOXES: "0", EVENT_LINES: "true" };
  return withReceiver((receiving) =>
    withSides(
      base,
      async (sides) => {
        const names = sides.map(({ name }) => `${name} | `).join("");
        console.log(`\n| path | ${names}ratio, median of rounds |`);
        console.log(`|---|${sides.map(() => "---|").join("")}---|`);
        const pathsBySide = await Promise.all(
          sides.map(({ platform }) => pathsOf(platform, receiving)),
        );
        for (const index of pathsBySide[0]?.keys() ?? [])
          await comparePath(
            pathsBySide.flatMap((paths) => paths.slice(index, index + 1)),
            effort,
          );
      },
      variables,
    ),
  );
}

async function comparePath(paths: readonly Path[], { rounds, seconds }: Effort): Promise<void> {
  const samples = paths.map((): Figures[] => []);
  const order = [...paths.entries()];
  // The first round is a warm-up.
  for (let round = 0; round <= rounds; round += 1) {
    // The sides take turns to be first.
    const turns = round % 2 === 0 ? order : order.toReversed();
    for (const [side, path] of turns) samples[side]?.push(await path(seconds));
  }
  const counted = samples.map((own) => own.slice(1));
  const names = counted.flatMap(([first]) => Object.keys(first ?? {}));
  for (const name of new Set(names)) report(name, counted);
}

function report(name: string, samples: readonly Figures[][]): void {
  const columns = samples.map((own) => own.map((figures) => figures[name] ?? Number.NaN));
  const [first = [], last = []] = [columns[0], columns.at(-1)];
  const ratio = median(last.map((figure, round) => figure / (first[round] ?? Number.NaN)));
  const medians = columns.map((figures) => median(figures).toFixed(1));
  console.log(`| ${[name, ...medians, ratio.toFixed(2)].join(" | ")} |`);
}

async function pathsOf(
  platform: RunningPlatform,
  receiving: Omit<Setting, "platform">,
): Promise<Path[]> {
  const setting = { platform, ...receiving };
  const stateless = await sourceTarget(platform, "stateless");
  const stateful = await sourceTarget(platform, "stateful");
  const url = await deploySubscribed(setting, await componentCode("stateless"));
  return [
    throughput(stateless, "one emit", 1),
    throughput(stateless, "one emit", 16),
    throughput(stateless, "one emit", 64),
    throughput(stateful, "`$.service.db`", 16),
    delivery(setting, url, 1),
    delivery(setting, url, 100),
    ...(await inTurn(FAN_OUTS, (webhooks) => fanOut(setting, webhooks))),
    await workflowRuns(platform),
    await eventLists(platform),
    saves(platform),
  ];
}

function throughput(target: Target, name: string, connections: number): Path {
  return async (seconds) => {
    const { perSecond, p99Ms } = await load(target, { connections, seconds });
    const what = `${name}, ${connections} connections`;
    return { [`${what}: events/s`]: perSecond, [`${what}: p99 ms`]: p99Ms };
  };
}

function delivery(setting: Setting, url: string, perSecond: number): Path {
  return async (seconds) => {
    const sent = await send(setting, url, { perSecond, seconds: perSecond === 1 ? 6 : seconds });
    const sorted = latenciesOf(setting, sent);
    if (sorted.length < sent.size) throw new Error(`${sent.size - sorted.length} did not arrive`);
    return {
      [`trigger to webhook at ${perSecond}/s: p50 ms`]: percentile(sorted, 0.5),
      [`trigger to webhook at ${perSecond}/s: p99 ms`]: percentile(sorted, 0.99),
    };
  };
}

async function fanOut(setting: Setting, webhooks: number): Promise<Path> {
  const source = await deploy(setting.platform, await componentCode("stateless"));
  for (let webhook = 0; webhook < webhooks; webhook += 1) await subscribe(setting, source);
  const { received } = setting.receiver;
  return async () => {
    const expected = received.length + webhooks;
    const startedAtMs = performance.now();
    await post(endpointOf(source), orderBody(randomUUID()));
    await until(() => received.length >= expected);
    return { [`one event to ${webhooks} webhooks: ms`]: performance.now() - startedAtMs };
  };
}

async function workflowRuns(platform: RunningPlatform): Promise<Path> {
  const workflow = await deployWorkflow(platform, ["export default { run() {} }"]);
  return async () => ({
    "workflow of one step: p50 ms": await typical(RUNS, () => endOfRun(platform, workflow)),
  });
}

async function endOfRun(platform: RunningPlatform, workflow: DeployedWorkflow): Promise<number> {
  const run = await runToEnd(platform, workflow);
  return (run.ended_at_ms ?? Number.NaN) - run.queued_at_ms;
}

async function eventLists(platform: RunningPlatform): Promise<Path> {
  const source = await deploy(platform, await componentCode("stateless"));
  for (let event = 0; event < 100; event += 1)
    await post(endpointOf(source), orderBody(randomUUID()));
  const path = `/sources/${source.id}/event_summaries?expand=event&limit=100`;
  return async () => ({
    "list of 100 events: p50 ms": await typical(LISTS, () => timed(() => call(platform, path))),
  });
}

function saves(platform: RunningPlatform): Path {
  return async () => ({
    "save and deploy: p50 ms": await typical(SAVES, async () => {
      const code = `// ${randomUUID()}\n${await componentCode("stateless")}`;
      return timed(() => deploy(platform, code));
    }),
  });
}

async function inTurn<T, R>(list: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const one of list) results.push(await work(one));
  return results;
}

/** The median of this many measurements, one after the other. */
async function typical(count: number, measure: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let made = 0; made < count; made += 1) times.push(await measure());
  return median(times);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAtMs = performance.now();
  await work();
  return performance.now() - startedAtMs;
}
