import { randomNumbers } from "./random.ts";

/** The assumed population of sources and owners; none of it is measured. */
export type Assumptions = {
  sources: number;
  owners: number;
  /** Zipf exponents of the sources' event rates, and of the owners' numbers of sources. */
  skewOfRates: number;
  skewOfOwners: number;
  /** Shares of events: HTTP sources with one webhook, timers with no listener, workflows of one step. */
  mix: Record<Kind, number>;
};

export type Kind = "http" | "timer" | "workflow";

/** One source or workflow: its share of all events, and its owner's number. */
export type Simulated = { id: string; kind: Kind; share: number; owner: number };

export const ASSUMPTIONS: Assumptions = {
  sources: 1_000_000,
  owners: 20_000,
  skewOfRates: 0.8,
  skewOfOwners: 0.7,
  mix: { http: 0.75, timer: 0.15, workflow: 0.1 },
};

/** A timer has at most one event in 15 seconds. */
export const MAX_TICKS_PER_SECOND = 1 / 15;

/** Sources and workflows, the busiest first. The same assumptions yield the same population. */
export function populate({ sources, owners, mix, ...skews }: Assumptions): Simulated[] {
  const random = randomNumbers(1);
  const ownerEnds = cumulated(zipf(owners, skews.skewOfOwners));
  return zipf(sources, skews.skewOfRates).map((share, index) => {
    const kind = kindAt(mix, random());
    const prefix = kind === "workflow" ? "p" : "dc";
    const owner = placeIn(ownerEnds, random());
    return { id: `${prefix}_${index.toString(36).padStart(8, "0")}`, kind, share, owner };
  });
}

function kindAt({ http, timer }: Assumptions["mix"], value: number): Kind {
  if (value < http) return "http";
  return value < http + timer ? "timer" : "workflow";
}

function zipf(length: number, exponent: number): number[] {
  const weights = Array.from({ length }, (_, index) => (index + 1) ** -exponent);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

function cumulated(shares: readonly number[]): number[] {
  let sum = 0;
  return shares.map((share) => {
    sum += share;
    return sum;
  });
}

/** The index of a value among ascending ends. */
function placeIn(ends: readonly number[], value: number): number {
  let [low, high] = [0, ends.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] ?? 1) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}
