import { setTimeout as wait } from "node:timers/promises";

import { send } from "./client.ts";
import { failureIn } from "./configuration.ts";
import { type Trial, Troubled } from "./subject.ts";

/** A run is over when the component has neither asked nor emitted anything for this long. */
const QUIET_MS = 400;

const EVENT = {
  id: "1",
  type: "thing.created",
  event: "created",
  action: "created",
  created_at: "2025-01-02T03:04:05.000Z",
  data: { id: "1", name: "One", object: { id: "1", name: "One" } },
  payload: { id: "1", name: "One" },
};

type Source = { id: string; configured_props: Record<string, { endpoint_url?: string } | null> };
type Summary = { event: { error: { code: string; message: string } } };

/** Deploy a source, run it once, and delete it. Returns how many events it emitted. */
export async function runSource(trial: Trial, values: Record<string, unknown>): Promise<number> {
  const { lane, component, signal } = trial;
  const body = { component_id: component.id, configured_props: values };
  const answer = await lane.user.call<Source>("POST", "/sources", { body, signal });
  if (answer.status !== 200) {
    const step = answer.details.hook === undefined ? "props" : "hook";
    throw new Troubled(step, failureIn(answer));
  }
  const path = `/sources/${answer.data.id}`;
  try {
    await trigger(trial, answer.data);
    await refuseErrors(trial, path, "run");
    const events = await countOf(trial, `${path}/event_summaries`);
    await lane.user.call("PUT", path, { body: { active: false }, signal });
    await refuseErrors(trial, path, "deactivate");
    return events;
  } finally {
    await lane.user.call("DELETE", path, { signal: AbortSignal.timeout(60_000) });
  }
}

/** Timers have ticked when a source is deployed; the rest waits for a request. */
async function trigger(trial: Trial, { configured_props: props }: Source): Promise<void> {
  const startedAtMs = Date.now();
  for (const value of Object.values(props)) {
    if (!value?.endpoint_url) continue;
    await send(value.endpoint_url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(EVENT),
      signal: trial.signal,
    });
  }
  await quiet(trial, startedAtMs);
}

async function quiet({ lane, signal }: Trial, startedAtMs: number): Promise<void> {
  for (;;) {
    const busyAtMs = Math.max(startedAtMs, lane.outside.lastAtMs(lane.owner));
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
  const { data } = await lane.user.call<Summary[]>("GET", `${path}${query}`, { signal });
  const [first] = data;
  if (first)
    throw new Troubled(step, { name: first.event.error.code, message: first.event.error.message });
}

async function countOf({ lane, signal }: Trial, path: string): Promise<number> {
  const { data } = await lane.user.call<unknown[]>("GET", `${path}?limit=100`, { signal });
  return data.length;
}
