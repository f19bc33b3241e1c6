import { RequestError } from "#domain/errors.ts";
import type { Id } from "#domain/ids.ts";
import type { ManualRunResult } from "#durable-objects/source/contract.ts";

import type { Context } from "../context.ts";
import { getSource } from "./read.ts";

/** Maximum size of an event: that of an HTTP request. */
const MAX_EVENT_BYTES = 512 * 1024;

/** The event, the time to wait for the run, and its cause. */
type RunRequest = {
  event: string | undefined;
  waitSeconds: number;
  hops: number;
  budget: number;
  depth: number;
};

export type ManualRun = Extract<ManualRunResult, { ok: true }>;

/**
 * Run a source now, on an event (JSON text) or on that of its own trigger. The event is durable when this resolves; the
 * response waits for the run for the requested time.
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
  const result = await source.run(order);
  if (!result.ok) throw refusal(id, result);
  if (!("rest" in result)) return result;
  // A run emits at most 16 MB, which is more than one call carries.
  const events = [...result.events];
  for (let { rest } = result; rest.length > 0;) {
    const part = await source.eventsAt(rest, true);
    events.push(...part.events);
    ({ rest } = part);
  }
  return { ...result, events, rest: [] };
}

function refusal(id: Id<"source">, result: Extract<ManualRunResult, { ok: false }>): RequestError {
  if (result.reason === "inactive")
    return new RequestError("conflict", `${id} is inactive; activate it before you run it`);
  if (result.reason === "overloaded")
    return new RequestError("overloaded", "Too many events wait for this source");
  if (result.reason === "loop_detected") return new RequestError("loop_detected", result.message);
  return new RequestError("quota_exceeded", `The event was not accepted: ${result.message}`);
}
