import { EVENT_TOO_LARGE } from "#domain/row-size.ts";
import type { Incoming } from "#http/requests.ts";
import { accept, type HttpResponse, preflight, refuse } from "#http/responses.ts";

import type { PauseOrder, PauseOrderResult } from "./contract.ts";
import { MAX_ENGINE_BYTES, type ResumeEvent, resumeEvent } from "./engine-values.ts";
import { isSigned, pauseEvent, type PauseKey, pauseOf } from "./pauses.ts";
import type { RunRow } from "./run-rows.ts";
import { instanceId } from "./starter.ts";
import type { WiredWorkflow } from "./wiring.ts";

/** End a pause, or cancel its run: any holder of the URL may, by GET or POST, once. */
export async function resume(
  workflow: WiredWorkflow,
  { method, pathname, event }: Incoming,
): Promise<HttpResponse> {
  if (method === "OPTIONS") return preflight();
  if (method !== "GET" && method !== "POST")
    return refuse(405, "method_not_allowed", "A pause is ended by GET or POST");
  const found = find(workflow, pathname);
  if (!found) return refuse(404, "not_found", "No run has this pause");
  if (!isOpen(found.run, found.key)) return refuse(410, "gone", "This pause is over");
  if (event === null) return refuse(413, "too_large", EVENT_TOO_LARGE);
  const ending = resumeEvent({ action: found.key.action, request: event });
  if (!ending)
    return refuse(
      413,
      "too_large",
      `body: the request may have at most ${MAX_ENGINE_BYTES} bytes as an event, which has its body as text and parsed`,
    );
  await sendEnding(workflow, found.key, ending);
  return accept();
}

/** End the pause of a run, for its owner. */
export async function endPause(
  workflow: WiredWorkflow,
  { runId, action, request }: PauseOrder,
): Promise<PauseOrderResult> {
  const run = workflow.runs.byId(runId);
  if (!run) return "unknown_run";
  const key = { runId, number: run.steps, action };
  if (run.state !== "waiting" || !isOpen(run, key)) return "not_waiting";
  const ending = resumeEvent({ action, request });
  if (!ending) return "too_large";
  await sendEnding(workflow, key, ending);
  return "ended";
}

function find(
  { runs }: WiredWorkflow,
  pathname: string,
): { run: RunRow; key: PauseKey } | undefined {
  const pause = pauseOf(pathname);
  const run = pause && runs.byId(pause.key.runId);
  return pause && run && isSigned(pause.key, run.secret, pause.signature)
    ? { run, key: pause.key }
    : undefined;
}

/** A pause may be ended while its run pauses, and before that, as soon as its step has the URL. */
function isOpen({ ended_ms, state, steps }: RunRow, { number }: PauseKey): boolean {
  if (ended_ms !== null) return false;
  return steps < number || (steps === number && state === "waiting");
}

async function sendEnding(
  { engine, workflowId }: WiredWorkflow,
  { runId, number }: PauseKey,
  payload: ResumeEvent,
): Promise<void> {
  const instance = await engine.get(instanceId(workflowId, runId));
  await instance.sendEvent({ type: pauseEvent(number), payload });
}
