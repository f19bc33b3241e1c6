import { httpEvent } from "../domain/http-event.ts";
import { accept, preflight, refuse } from "../network/answers.ts";
import { readRequest } from "../network/request.ts";
import type { Parts } from "./parts.ts";
import { isSigned, pauseEvent, type PauseKey, pauseOf, type Resumption } from "./pauses.ts";
import type { RunRow } from "./runs.ts";
import { instanceId } from "./starter.ts";

/** End a pause, or cancel its run: whoever has the URL may, by GET or POST, once. */
export async function resume(parts: Parts, request: Request): Promise<Response> {
  if (request.method === "OPTIONS") return preflight();
  if (request.method !== "GET" && request.method !== "POST")
    return refuse(405, "method_not_allowed", "A pause is ended by GET or POST");
  const url = new URL(request.url);
  const found = find(parts, url);
  if (!found) return refuse(404, "not_found", "No run has this pause");
  if (!isOpen(found.run, found.key)) return refuse(410, "gone", "This pause is over");
  const received = await readRequest(request, { url, path: "/" });
  if (!received) return refuse(413, "too_large", "body: it may have at most 512 KB");
  const event = JSON.stringify(await httpEvent(received));
  await tell(parts, found.key, { action: found.key.action, request: event });
  return accept();
}

function find({ runs }: Parts, { pathname }: URL): { run: RunRow; key: PauseKey } | undefined {
  const pause = pauseOf(pathname);
  const run = pause && runs.byId(pause.key.runId);
  return pause && run && isSigned(pause.key, run.secret, pause.signature)
    ? { run, key: pause.key }
    : undefined;
}

/** A pause may be ended while its run pauses, and before that, as soon as its step has handed out the URL. */
function isOpen({ ended_ms, state, steps }: RunRow, { number }: PauseKey): boolean {
  if (ended_ms !== null) return false;
  return steps < number || (steps === number && state === "waiting");
}

async function tell(
  { engine, workflowId }: Parts,
  { runId, number }: PauseKey,
  payload: Resumption,
): Promise<void> {
  const instance = await engine.get(instanceId(workflowId, runId));
  await instance.sendEvent({ type: pauseEvent(number), payload });
}
