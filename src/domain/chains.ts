import { MAX_HOPS } from "./deliveries.ts";
import { type Failure, newFailure } from "./invocation.ts";

/** Maximum runs that one trigger may cause, its own included: emitters that multiply events must not run for ever. */
export const MAX_RUNS_PER_TRIGGER = 10_000;

/** The end of error messages for an exhausted budget. */
export const USED_UP = `its trigger has reached the maximum of ${MAX_RUNS_PER_TRIGGER} runs`;

/** The request header with the budget: the number of runs that the request may still cause. */
export const BUDGET_HEADER = "x-wellspring-budget";

/** The budget in the header; that of a new trigger without one. */
export function budgetOf(header: string | null): number {
  if (header === null || !/^\d{1,5}$/.test(header)) return MAX_RUNS_PER_TRIGGER;
  return Math.min(Number(header), MAX_RUNS_PER_TRIGGER);
}

/** The budget for the children of a run. `spent`: used by children while it ran. */
export function leftFor(budget: number = MAX_RUNS_PER_TRIGGER, spent = 0): number {
  return Math.max(0, budget - 1 - spent);
}

/** The share of one of several children: equal shares, and the remainder goes to the first ones. */
export function shareOf(budget: number, children: number, index: number): number {
  return Math.floor(budget / children) + (index < budget % children ? 1 : 0);
}

/**
 * The cause of a call or of its requests: emitters passed, nested requests of components, and the budget of further
 * runs.
 */
export type Cause = { hops: number; depth: number; budget: number };

/** The smallest share of the remaining budget, as a power of two: later children take 1/64, so some always remains. */
const MAX_SHIFT = 6;

/**
 * The share of a call's next child: the first one has half of the budget, then ever smaller parts of the rest, so that
 * a long chain of single requests has enough, and so have many requests of one call. 0: nothing is left.
 */
export function nextShare(left: number, children: number): number {
  return Math.min(left, Math.max(1, left >> Math.min(children + 1, MAX_SHIFT)));
}

/** The output of a run: emits, errors and log lines. */
type Counts = { emits: number; errors: number; lines: number };

/**
 * Divide a budget among the emits, errors and log lines of a run: emits get most of it, and the last one is for errors,
 * so that they are delivered.
 */
export function divide(budget: number, { emits, errors, lines }: Counts): Counts {
  const eighth = Math.floor(budget / 8);
  const forLines = lines === 0 ? 0 : emits + errors === 0 ? budget : eighth;
  const rest = budget - forLines;
  const forErrors = errors === 0 ? 0 : emits === 0 ? rest : Math.max(Math.min(1, rest), eighth);
  return { emits: rest - forErrors, errors: forErrors, lines: forLines };
}

/** The budget for the error of a workflow's run, which its steps may not use (`forSteps`). */
export function forError(budget?: number): number {
  const left = leftFor(budget);
  return Math.max(Math.min(1, left), Math.floor(left / 64));
}

/** The budget for the steps of a workflow's run; the rest is reserved for its error. */
export function forSteps(budget?: number): number {
  const left = leftFor(budget);
  return left - Math.max(Math.min(1, left), Math.floor(left / 8));
}

/** Whether an event is not run: it has passed too many emitters, or its trigger has caused too many runs. */
export function isChainOver({
  hops,
  budget,
}: {
  hops: number;
  budget?: number | undefined;
}): boolean {
  return hops >= MAX_HOPS || budget === 0;
}

/** The reason why such an event is not run. */
export function chainEnd({ hops, budget }: { hops: number; budget?: number | undefined }): Failure {
  if (budget === 0) return newFailure("TooManyRuns", `Event dropped: ${USED_UP}`);
  const message = `Event dropped: hop limit (${hops}) reached, possible loop`;
  return newFailure("TooManyHops", message);
}

/**
 * Maximum nesting of components' requests. Cloudflare lets Workers call each other 16 deep
 * ("Loop limit"): the first run is at depth 3, behind the entry Worker and its object, and each nested request adds 4.
 */
export const MAX_NESTED = 3;

/** The request header with the nesting depth, the request itself included. */
export const DEPTH_HEADER = "x-wellspring-depth";

/** The nesting depth in the header; 0 without one. A forged value affects only the sender's own event. */
export function depthOf(header: string | null): number {
  return header !== null && /^\d{1,3}$/.test(header) ? Number(header) : 0;
}

/** The error for components that wait for each other's responses more deeply. */
export const TOO_DEEP = `At most ${MAX_NESTED} requests of components may be nested: emit an event instead, which resets the depth`;

/** Whether a call was refused because too many calls wait for each other already: retrying is useless. */
export function isTooDeep(error: unknown): boolean {
  return error instanceof Error && error.message.includes("Subrequest depth limit exceeded");
}

/** The failure for emits beyond the budget, which are not delivered; undefined if there are none. */
export function unsent(budget: number, emits: number): Failure | undefined {
  if (budget >= emits) return undefined;
  const message = `${emits - budget} of ${emits} events were emitted but not delivered: ${USED_UP}`;
  return newFailure("TooManyRuns", message);
}
