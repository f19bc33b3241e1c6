import { load, type Sample, type Target } from "./load.ts";
import { median } from "./statistics.ts";

export type Effort = { rounds: number; seconds: number };

/**
 * Measure targets side by side, at so many connections: each round visits all of them, so that whatever else the
 * machine does falls on all alike, and the medians of the rounds count.
 */
export async function compare(
  targets: readonly Target[],
  connections: number,
  { rounds, seconds }: Effort,
): Promise<Sample[]> {
  const samples = targets.map((): Sample[] => []);
  for (const target of targets) await load(target, { connections, seconds: 1 });
  for (let round = 0; round < rounds; round += 1)
    for (const [index, target] of targets.entries())
      samples[index]?.push(await load(target, { connections, seconds }));
  return samples.map(middle);
}

function middle(samples: readonly Sample[]): Sample {
  const of = (pick: (sample: Sample) => number) => median(samples.map(pick));
  return {
    perSecond: of(({ perSecond }) => perSecond),
    p50Ms: of(({ p50Ms }) => p50Ms),
    p99Ms: of(({ p99Ms }) => p99Ms),
    failed: samples.reduce((sum, { failed }) => sum + failed, 0),
  };
}
