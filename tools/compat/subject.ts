import type { Client } from "./client.ts";
import type { Failure, Trouble } from "./evidence.ts";
import type { FakeUpstream } from "./fake-upstream.ts";
import type { Fixtures } from "./fixtures.ts";
import type { Candidate } from "./folder.ts";
import type { OwnFiles } from "./own-files.ts";
import type { Shape } from "./responses.ts";
import type { Step } from "./steps.ts";
import type { Prop } from "./values.ts";

/** A lane of trials: a separate user, so that the fake internet can attribute its requests. */
export type Lane = {
  owner: string;
  user: Client;
  operator: Client;
  upstream: FakeUpstream;
  dataStore: string;
  /** The URL of the served folder. */
  files: string;
};

/**
 * The outcome of a trial. A source `emitted`, or sent requests and emitted nothing (`silent`); an action `returned`.
 * `idle`: it neither sent a request nor emitted. `running`: it did not end in time, which is not a pass.
 */
export const OUTCOMES = ["emitted", "returned", "silent", "idle", "running", "failed"] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Whether a component did its work, as far as a trial can show. */
export function isPassed({ outcome }: Pick<Result, "outcome">): boolean {
  return outcome !== "failed" && outcome !== "running";
}

/** The outcome of a component. */
export type Result = Candidate & {
  outcome: Outcome;
  trouble?: Trouble;
  /** The shape of responses that it accepted. */
  shape: Shape;
  /** Whether the platform refuses it without accounts; absent: the attempt failed before that. */
  demandsAccount?: boolean;
  requests: number;
  events: number;
  ms: number;
  /** The duration of the save. */
  savedMs?: number;
};

export type Saved = { id: string; configurable_props: Prop[] };

/** The result of one run: its number of events, and whether it has ended. */
export type Ran = { events: number; isOver: boolean };

/** One component under trial. */
export type Trial = {
  lane: Lane;
  candidate: Candidate;
  component: Saved;
  own: OwnFiles;
  /** Of its accounts; undefined in an attempt without accounts. */
  credentials: Record<string, string> | undefined;
  /** The values that `options()` gave for the props of this attempt, by name. */
  offered: Map<string, unknown>;
  /** The optional props that this attempt left out. */
  leftOut: Set<string>;
  /** What the component's author gives for it. */
  fixtures: Fixtures | undefined;
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
