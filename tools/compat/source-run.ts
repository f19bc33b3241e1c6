import { setTimeout as wait } from "node:timers/promises";

import { send } from "./client.ts";
import { eventOf } from "./event.ts";
import { failureIn } from "./refusal.ts";
import { type Ran, type Trial, Troubled } from "./subject.ts";

/** A run is over when the component has neither sent a request nor emitted for this long. */
const QUIET_MS = 400;

/** The timeout of deleting a trial's resources. */
const CLEANING_MS = 15_000;

const TIMER = "$.interface.timer";

type Source = { id: string; configured_props: Record<string, { endpoint_url?: string } | null> };
type Summary = { event: { error: { code: string; message: string; stack?: string } } };

/** Deploy a source, run it once, and delete it. Returns its number of events. */
export async function runSource(trial: Trial, values: Record<string, unknown>): Promise<Ran> {
  const { lane, component, signal } = trial;
  const body = { component_id: component.id, configured_props: values };
  const response = await lane.user.call<Source>("POST", "/sources", { body, signal });
  if (response.status !== 200) {
    const step = response.details.hook === undefined ? "props" : "hook";
    throw new Troubled(step, failureIn(response));
  }
  const path = `/sources/${response.data.id}`;
  try {
    const isOver = await trigger(trial, response.data);
    await refuseErrors(trial, path, "run");
    const events = await countOf(trial, `${path}/event_summaries`);
    await lane.user.call("PUT", path, { body: { active: false }, signal });
    await refuseErrors(trial, path, "deactivate");
    return { events, isOver };
  } finally {
    await lane.user.call("DELETE", path, { signal: AbortSignal.timeout(CLEANING_MS) });
  }
}

/**
 * Trigger a source: by a request to its endpoint, by a tick of its timer, otherwise by passing it an event. A
 * component without `run` ran on deploy. Returns whether the run has ended.
 */
async function trigger(trial: Trial, { id, configured_props: props }: Source): Promise<boolean> {
  const { lane, signal } = trial;
  const endpoints = Object.values(props).flatMap((value) => value?.endpoint_url ?? []);
  for (const url of endpoints) await request(trial, url);
  if (endpoints.length > 0) {
    await quiet(trial);
    return true;
  }
  const isTimed = trial.component.configurable_props.some(({ type }) => type === TIMER);
  const body = { wait: trial.waitSeconds, ...(!isTimed && { event: eventOf(trial) }) };
  const response = await lane.user.call<{ state: string }>("POST", `/sources/${id}/run`, {
    body,
    signal,
  });
  if (response.status !== 200) throw new Troubled("run", failureIn(response));
  return response.data.state !== "running";
}

async function request(trial: Trial, url: string): Promise<void> {
  const { status, text } = await send(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(eventOf(trial)),
    signal: trial.signal,
  });
  if (status >= 500 && !text.includes("upstream_failed"))
    throw new Troubled("run", { name: String(status), message: text.slice(0, 500) });
}

async function quiet({ lane, signal }: Trial): Promise<void> {
  const startedAtMs = Date.now();
  for (;;) {
    const busyAtMs = Math.max(startedAtMs, lane.upstream.lastAtMs(lane.owner));
    const leftMs = busyAtMs + QUIET_MS - Date.now();
    if (leftMs <= 0 || signal.aborted) return;
    await wait(leftMs);
  }
}

async function refuseErrors(
  { lane, signal }: Trial,
  path: string,
  step: "run" | "deactivate",
): Promise<void> {
  const query = "/$errors/event_summaries?expand=event&limit=1";
  const [first] = await lane.user.read<Summary[]>(`${path}${query}`, signal);
  if (!first) return;
  const { code: name, message, stack } = first.event.error;
  throw new Troubled(step, { name, message, stack });
}

async function countOf({ lane, signal }: Trial, path: string): Promise<number> {
  return (await lane.user.read<unknown[]>(`${path}?limit=100`, signal)).length;
}
