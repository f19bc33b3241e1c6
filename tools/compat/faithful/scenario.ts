import type { Stage } from "./stage.ts";

/** One protocol played through with one component: the fake provider, what it does, and what must come of it. */
export type Scenario = {
  protocol: string;
  /** The component's path in its folder. */
  component: string;
  /** The credentials of its account. */
  credentials: Record<string, string>;
  play: (stage: Stage) => Promise<void>;
};
