import { env } from "cloudflare:workers";

import type { Failure } from "#domain/invocation.ts";

/** The event of a line about a shown run, which is no event of the log. */
const SHOWN_RUN = "shown_run";

/**
 * A run for the terminal of a local platform. Unlike the log it contains users' data: it is for the person who starts
 * the platform.
 */
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
  /** The end state of a workflow's run. */
  state?: string;
  /** Of a source: its events, without errors and logs: their number and the summaries of the first. */
  events?: number;
  summaries?: string[];
  /** The number of sources, workflows and webhooks with matching subscriptions. */
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
