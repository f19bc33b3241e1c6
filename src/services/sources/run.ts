import { RequestError } from "#domain/errors.ts";
import type { Id } from "#domain/ids.ts";
import type { RunVerdict } from "#durable-objects/source/contract.ts";

import type { Context } from "../context.ts";
import { getSource } from "./read.ts";

/** An event may be as large as one that comes over HTTP. */
const MAX_EVENT_BYTES = 512 * 1024;

/** The event, how long to wait for the run, and its cause. */
type RunRequest = {
  event: string | undefined;
  waitSeconds: number;
  hops: number;
  budget: number;
  depth: number;
};

export type ManualRun = Extract<RunVerdict, { ok: true }>;

/**
 * Run a source now, on an event (JSON text) or on what it would be woken by. The event is durable when this returns;
 * the response waits for the run as long as the caller requests.
 */
export async function runSource(
  ctx: Pick<Context, "actor" | "db" | "requestId" | "sources">,
  id: Id<"source">,
  { event, waitSeconds, ...cause }: RunRequest,
): Promise<ManualRun> {
  if (event !== undefined && new TextEncoder().encode(event).length > MAX_EVENT_BYTES)
    throw new RequestError("too_large", "event: an event may have at most 512 KB");
  await getSource(ctx, id);
  const { requestId } = ctx;
  const order = { ...cause, event: event ?? null, waitMs: waitSeconds * 1000, requestId };
  const source = ctx.sources(id);
  const verdict = await source.run(order);
  if (!verdict.ok) throw refusal(id, verdict);
  if (!("rest" in verdict)) return verdict;
  // A run emits at most 16 MB, which is more than one call carries.
  const events = [...verdict.events];
  for (let { rest } = verdict; rest.length > 0;) {
    const part = await source.eventsAt(rest, true);
    events.push(...part.events);
    ({ rest } = part);
  }
  return { ...verdict, events, rest: [] };
}

function refusal(id: Id<"source">, verdict: Extract<RunVerdict, { ok: false }>): RequestError {
  if (verdict.reason === "inactive")
    return new RequestError("conflict", `${id} is inactive; activate it before you run it`);
  if (verdict.reason === "overloaded")
    return new RequestError("overloaded", "Too many events wait for this source");
  if (verdict.reason === "loop_detected") return new RequestError("loop_detected", verdict.message);
  return new RequestError("quota_exceeded", `The event was not taken: ${verdict.message}`);
}
