import type { Shape } from "./answers.ts";
import type { Client } from "./client.ts";
import type { Candidate } from "./folder.ts";
import type { Outside } from "./outside.ts";
import type { Step, Trouble } from "./trouble.ts";
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

/** What became of a component. */
export type Result = Candidate & {
  trouble?: Trouble;
  /** The kind of answers that it got along with. */
  shape: Shape;
  requests: number;
  events: number;
  ms: number;
};

export type Saved = { id: string; configurable_props: Prop[] };

/** One component under trial. */
export type Trial = {
  lane: Lane;
  candidate: Candidate;
  component: Saved;
  credentials: Record<string, string>;
  signal: AbortSignal;
};

/** Ends an attempt; thrown inside trials only. */
export class Troubled extends Error {
  readonly step: Step;
  readonly failure: { name: string; message: string };

  constructor(step: Step, failure: { name: string; message: string }) {
    super(failure.message);
    this.step = step;
    this.failure = failure;
  }
}
