import { env } from "cloudflare:workers";

import type { Failure } from "#domain/invocation.ts";

/** The event of a line about a run that is shown, which is no event of the log. */
const SHOWN_RUN = "shown_run";

/** A run as the terminal of a local platform shows it. Unlike the log it has the data that users sent: it is for the person who starts it. */
export type ShownRun = {
  trigger: string;
  /** Of a request. */
  method?: string;
  path?: string;
  /** The status of the response. */
  status?: number;
  /** Of the source or the workflow. */
  name: string;
  duration_ms: number;
  /** How a run of a workflow ended. */
  state?: string;
  /** Of a source: the events that it left, without errors and logs, by number and with the summaries of the first. */
  events?: number;
  summaries?: string[];
  /** How many sources, workflows and webhooks have subscriptions that match them. */
  listeners?: number;
  failure?: Failure;
};

/** Whether runs are shown: on a local platform that writes to a terminal. */
export function showsRuns(): boolean {
  return env.EVENT_LINES === "true";
}

/** Write a line about a run for the terminal. */
export function showRun(run: ShownRun): void {
  // oxlint-disable-next-line no-console -- Read by tools/scripts/local/event-lines.ts, not by the log.
  console.log(JSON.stringify({ level: "info", event: SHOWN_RUN, message: "", ...run }));
}
