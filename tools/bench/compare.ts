import { load, type Sample, type Target } from "./load.ts";
import { median } from "./statistics.ts";

export type Effort = { rounds: number; seconds: number };

/** The result of one target: medians over all rounds, and medians of each round's ratio to the first target. */
export type Result = Sample & { ofFirst: { perSecond: number; p99Ms: number } };

/** The warm-up time of each target: until then the runtime compiles its code and sizes its heaps. */
const WARM_UP_SECONDS = 5;

/**
 * Measure targets side by side, over this many connections. Each round visits all of them, so that other load on the
 * machine affects all alike, and compared figures are measured within seconds of each other.
 */
export async function compare(
  targets: readonly Target[],
  connections: number,
  { rounds, seconds }: Effort,
): Promise<Result[]> {
  const samples = targets.map((): Sample[] => []);
  for (const target of targets) await load(target, { connections, seconds: WARM_UP_SECONDS });
  for (let round = 0; round < rounds; round += 1)
    for (const [index, target] of targets.entries())
      samples[index]?.push(await load(target, { connections, seconds }));
  return samples.map((own) => summary(own, samples[0] ?? own));
}

function summary(own: readonly Sample[], first: readonly Sample[]): Result {
  const of = (pick: (sample: Sample) => number) => median(own.map(pick));
  const ofFirst = (key: "perSecond" | "p99Ms") =>
    median(own.map((sample, round) => sample[key] / (first[round]?.[key] ?? Number.NaN)));
  return {
    perSecond: of(({ perSecond }) => perSecond),
    p50Ms: of(({ p50Ms }) => p50Ms),
    p99Ms: of(({ p99Ms }) => p99Ms),
    failed: own.reduce((sum, { failed }) => sum + failed, 0),
    ofFirst: { perSecond: ofFirst("perSecond"), p99Ms: ofFirst("p99Ms") },
  };
}
