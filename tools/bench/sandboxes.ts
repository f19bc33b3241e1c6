import { load, type Sample, type Target } from "./load.ts";
import { median } from "./statistics.ts";
import { sourceTarget, withPlatforms } from "./targets.ts";
import { userApart } from "./tenants.ts";

const PROCESSES = [0, 1, 2];
const WARM_UP_SECONDS = 5;
const CONNECTIONS = [1, 64];

/** The load of each platform: one owner's source, or one source of each of two owners with separate sandboxes. */
const LOADS = { "one emit, dedupe": "stateless", "5 ms of computing, two owners": "computing" };

/**
 * Print the event rates of platforms with different numbers of processes that run users' code, side by side: none (in
 * the platform's own process), one and two.
 */
export async function measureSandboxes(effort: { rounds: number; seconds: number }): Promise<void> {
  console.log("\n| source | connections | sandboxes | events/s | p50 ms | p99 ms | of none |");
  console.log("|---|---|---|---|---|---|---|");
  const settings = PROCESSES.map((count) => ({ SANDBOXES: String(count) }));
  await withPlatforms(settings, async (platforms) => {
    for (const [title, component] of Object.entries(LOADS)) {
      const owners = component === "computing" ? 2 : 1;
      const crowds = await Promise.all(
        platforms.map(async (platform) => {
          const first = await sourceTarget(platform, component);
          if (owners === 1) return [first];
          return [first, await sourceTarget(await userApart(platform, 2), component)];
        }),
      );
      for (const connections of CONNECTIONS) await compare(title, crowds, connections, effort);
    }
  });
}

async function compare(
  title: string,
  crowds: readonly Target[][],
  connections: number,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<void> {
  const samples = crowds.map((): Sample[] => []);
  for (const crowd of crowds) await together(crowd, connections, WARM_UP_SECONDS);
  for (let round = 0; round < rounds; round += 1)
    for (const [index, crowd] of crowds.entries())
      samples[index]?.push(await together(crowd, connections, seconds));
  for (const [index, own] of samples.entries()) {
    const of = (pick: (sample: Sample) => number): number => median(own.map(pick));
    const ratio = median(
      own.map(({ perSecond }, round) => perSecond / (samples[0]?.[round]?.perSecond ?? Number.NaN)),
    );
    const failed = own.reduce((sum, sample) => sum + sample.failed, 0);
    if (failed > 0) process.exitCode = 1;
    const figures = [
      Math.round(of(({ perSecond }) => perSecond)),
      of(({ p50Ms }) => p50Ms).toFixed(1),
      of(({ p99Ms }) => p99Ms).toFixed(1),
      ratio.toFixed(2),
    ];
    const note = failed > 0 ? ` (${failed} failed)` : "";
    console.log(`| ${[title, connections, PROCESSES[index], ...figures].join(" | ")}${note} |`);
  }
}

/** Load several targets in parallel, with the connections divided among them. */
async function together(
  targets: readonly Target[],
  connections: number,
  seconds: number,
): Promise<Sample> {
  const each = Math.max(1, Math.floor(connections / targets.length));
  const samples = await Promise.all(
    targets.map((target) => load(target, { connections: each, seconds })),
  );
  const worst = (pick: (sample: Sample) => number): number => Math.max(...samples.map(pick));
  return {
    perSecond: samples.reduce((sum, { perSecond }) => sum + perSecond, 0),
    p50Ms: worst(({ p50Ms }) => p50Ms),
    p99Ms: worst(({ p99Ms }) => p99Ms),
    failed: samples.reduce((sum, { failed }) => sum + failed, 0),
  };
}
