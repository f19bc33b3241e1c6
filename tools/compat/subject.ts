import type { Shape } from "./answers.ts";
import type { Client } from "./client.ts";
import type { Failure, Trouble } from "./evidence.ts";
import type { Candidate } from "./folder.ts";
import type { Outside } from "./outside.ts";
import type { OwnFiles } from "./own-files.ts";
import type { Step } from "./steps.ts";
import type { Prop } from "./values.ts";

/** Who tries components: a user of its own, so that the outside knows whose requests it answers. */
export type Lane = {
  owner: string;
  user: Client;
  operator: Client;
  outside: Outside;
  dataStore: string;
  /** Where the folder is served. */
  files: string;
};

/**
 * How a trial ended. A source `emitted`, or asked and emitted nothing (`silent`); an action `returned`. `idle`: it neither
 * asked nor emitted. `running`: it had not ended when the time was up, which is no pass.
 */
export const OUTCOMES = ["emitted", "returned", "silent", "idle", "running", "failed"] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Whether a component did what it is for, as far as a trial can show. */
export function isPassed({ outcome }: Pick<Result, "outcome">): boolean {
  return outcome !== "failed" && outcome !== "running";
}

/** The outcome of a component. */
export type Result = Candidate & {
  outcome: Outcome;
  trouble?: Trouble;
  /** The kind of answers that it got along with. */
  shape: Shape;
  requests: number;
  events: number;
  ms: number;
  /** How long it took to save. */
  savedMs?: number;
};

export type Saved = { id: string; configurable_props: Prop[] };

/** The result of one run: how many events, and whether it has ended. */
export type Ran = { events: number; isOver: boolean };

/** One component under trial. */
export type Trial = {
  lane: Lane;
  candidate: Candidate;
  component: Saved;
  own: OwnFiles;
  credentials: Record<string, string>;
  waitSeconds: number;
  signal: AbortSignal;
};

/** Ends an attempt; thrown inside trials only. */
export class Troubled extends Error {
  readonly step: Step;
  readonly failure: Failure;

  constructor(step: Step, failure: Failure) {
    super(failure.message);
    this.step = step;
    this.failure = failure;
  }
}
