/** The strategies by which a source recognises an already emitted event (docs/contract.md: Dedupe). */
export type DedupeStrategy = "unique" | "greatest" | "last";

/** Number of ids that the `unique` strategy stores before it drops the oldest. */
export const UNIQUE_CAPACITY = 100;

/** An emission as dedupe sees it. `atMs` is its `ts`, or else the time of the emission. */
export type Candidate = { readonly id?: string | undefined; readonly atMs: number };

/** A stored id, with the time of its event in epoch milliseconds. */
export type Remembered = { id: string; atMs: number };

/**
 * The result of dedupe for a batch. `rejected` are emissions that the strategy cannot compare, with the reason;
 * they are not emitted, and become errors of their run. `memory` is the state to store.
 */
export type Deduplicated<E> = {
  admitted: E[];
  rejected: { candidate: E; reason: string }[];
  memory: readonly Remembered[];
};

type Identified<E> = E & { readonly id: string };

/** Select the emissions of one run, in order of emission, that may be emitted, given the stored ids. */
export function admit<E extends Candidate>(
  strategy: DedupeStrategy,
  memory: readonly Remembered[],
  batch: readonly E[],
): Deduplicated<E> {
  const rejected: Deduplicated<E>["rejected"] = [];
  const fit = batch.filter((candidate): candidate is Identified<E> => {
    const reason = unfit(strategy, candidate.id);
    if (reason !== undefined) rejected.push({ candidate, reason });
    return reason === undefined;
  });
  return { rejected, ...STRATEGIES[strategy](memory, fit) };
}

const STRATEGIES = { unique: admitUnique, greatest: admitGreatest, last: admitAfterLast } as const;

function unfit(strategy: DedupeStrategy, id: string | undefined): string | undefined {
  if (id === undefined) return `$emit needs an id: the component dedupes by "${strategy}"`;
  if (strategy === "greatest" && numeric(id) === undefined)
    return `$emit needs a numeric id, got "${id}": the component dedupes by "greatest"`;
  return undefined;
}

function admitUnique<E extends Candidate>(
  memory: readonly Remembered[],
  batch: readonly Identified<E>[],
): Omit<Deduplicated<E>, "rejected"> {
  let remembered = memory;
  const admitted: E[] = [];
  for (const candidate of batch) {
    // A hundred comparisons are quicker than a set of a hundred ids, created anew for each run.
    if (remembered.some(({ id }) => id === candidate.id)) continue;
    remembered = remembered.slice(1 - UNIQUE_CAPACITY).concat(remember(candidate));
    admitted.push(candidate);
  }
  return { admitted, memory: remembered };
}

function admitGreatest<E extends Candidate>(
  memory: readonly Remembered[],
  batch: readonly Identified<E>[],
): Omit<Deduplicated<E>, "rejected"> {
  let greatest = memory[0];
  const admitted: E[] = [];
  for (const candidate of batch) {
    if (greatest && !isGreater(candidate.id, greatest.id)) continue;
    greatest = remember(candidate);
    admitted.push(candidate);
  }
  return { admitted, memory: greatest ? [greatest] : [] };
}

function admitAfterLast<E extends Candidate>(
  memory: readonly Remembered[],
  batch: readonly Identified<E>[],
): Omit<Deduplicated<E>, "rejected"> {
  const cached = memory[0];
  const match = batch.findLastIndex(({ id }) => id === cached?.id);
  const admitted = batch.slice(match + 1);
  const newest = admitted.reduce<Remembered | undefined>(
    (last, candidate) =>
      last === undefined || candidate.atMs >= last.atMs ? remember(candidate) : last,
    cached,
  );
  return { admitted, memory: newest ? [newest] : [] };
}

function remember({ id, atMs }: Candidate & { readonly id: string }): Remembered {
  return { id, atMs };
}

/** Ids of many services are integers beyond 2^53: compare those as such. */
function numeric(id: string): number | bigint | undefined {
  if (/^-?\d+$/.test(id)) return BigInt(id);
  const value = id.trim() === "" ? Number.NaN : Number(id);
  return Number.isNaN(value) ? undefined : value;
}

function isGreater(id: string, than: string): boolean {
  const [left, right] = [numeric(id), numeric(than)];
  return left !== undefined && (right === undefined || left > right);
}
