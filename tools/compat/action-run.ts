import { setTimeout as wait } from "node:timers/promises";

import { eventOf } from "./event.ts";
import { failureIn } from "./refusal.ts";
import { type Ran, type Trial, Troubled } from "./subject.ts";

const POLL_MS = 100;

/** An action that requests a longer pause than this has run. */
const MAX_PAUSE_MS = 5000;

const QUEUED: Run = { state: "queued", error: null };

const OVER: ReadonlySet<string> = new Set(["succeeded", "cancelled"]);

type Workflow = { id: string; trigger: { endpoint_url: string } };
type Run = { state: string; error: { code: string; message: string; stack?: string } | null };

/** Run an action once, as the one step of a workflow, and delete that. */
export async function runAction(trial: Trial, values: Record<string, unknown>): Promise<Ran> {
  const { lane, component, signal } = trial;
  const body = {
    owner_id: lane.owner,
    name: "Compat",
    trigger: { type: "http" },
    steps: [{ name: "action", component_id: component.id, props: values }],
  };
  const response = await lane.operator.call<Workflow>("POST", "/workflows", { body, signal });
  if (response.status !== 200) throw new Troubled("props", failureIn(response));
  const { id, trigger } = response.data;
  try {
    // The response may come only when the run has ended; meanwhile the run's state is polled.
    void fetch(trigger.endpoint_url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(eventOf(trial)),
    }).catch(() => {});
    await untilRun(trial, `/workflows/${id}/runs?limit=1`);
    return { events: 0, isOver: true };
  } finally {
    await lane.operator.call("DELETE", `/workflows/${id}`, { signal: AbortSignal.timeout(15_000) });
  }
}

async function untilRun({ lane, signal }: Trial, path: string): Promise<void> {
  let pausedAtMs = Number.POSITIVE_INFINITY;
  for (;;) {
    const [run = QUEUED] = await lane.user.read<Run[]>(path, signal);
    const { state, error } = run;
    if (error) {
      const { code: name, message, stack } = error;
      throw new Troubled("run", { name, message, stack });
    }
    pausedAtMs = state === "waiting" ? Math.min(pausedAtMs, Date.now()) : Number.POSITIVE_INFINITY;
    if (OVER.has(state) || Date.now() - pausedAtMs > MAX_PAUSE_MS) return;
    await wait(POLL_MS);
  }
}
