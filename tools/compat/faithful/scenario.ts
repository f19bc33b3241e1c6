import type { Stage } from "./stage.ts";

/** One protocol played through with one component: the fake provider, its actions, and the expected results. */
export type Scenario = {
  protocol: string;
  /** The component's path in its folder. */
  component: string;
  /** The public component that the fake follows, with its version and its date, if it follows one. */
  follows?: string;
  /** The credentials of its account. */
  credentials: Record<string, string>;
  play: (stage: Stage) => Promise<void>;
};
