import { createRoute, z } from "@hono/zod-openapi";

import { DELAYED_CHANNEL, ERROR_CHANNEL, LOG_CHANNEL, SYSTEM_PREFIX } from "#domain/channels.ts";
import { type ManualRun, runSource } from "#services/sources/run.ts";

import { causeOf } from "../cause.ts";
import { conflict, createRouter, digits, loop, one, params, tooMany } from "../openapi.ts";
import { SourceId } from "../resource-ids.ts";
import { EventSummaryBody, presentEvent } from "./event-body.ts";

/** Maximum time that a caller may wait for the end of a run. */
const MAX_WAIT_SECONDS = 30;

const LogRecord = z.object({
  level: z.string(),
  message: z.string(),
  ts: z.int(),
  run_id: z.string(),
});

const ErrorRecord = z.object({
  code: z.string(),
  message: z.string(),
  cellId: z.string(),
  ts: z.string(),
  stack: z.string(),
});

const RunBody = z
  .object({
    run_id: z.string(),
    source_id: z.string(),
    state: z.enum(["accepted", "running", "finished", "failed"]),
    events: z.array(EventSummaryBody).optional(),
    logs: z.array(LogRecord).optional(),
    errors: z.array(ErrorRecord).optional(),
    response: z
      .object({
        status: z.int(),
        headers: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
        body: z.string().nullable(),
      })
      .optional(),
  })
  .openapi("Run");

const run = createRoute({
  operationId: "runSource",
  method: "post",
  path: "/sources/{id}/run",
  description:
    "Run an active source now; an inactive one is a 409. Without an event it gets that of its own trigger: a tick of its timer, else an empty request to its endpoint, else an empty object. A source without run emits the event itself.",
  request: {
    params: SourceId,
    body: params(
      z.object({
        event: z.any().optional(),
        wait: digits(z.int().min(0).max(MAX_WAIT_SECONDS)).default(0),
      }),
    ),
  },
  responses: one(RunBody, { ...conflict, ...tooMany, ...loop }),
});

export const manualRuns = createRouter().openapi(run, async (c) => {
  const { id } = c.req.valid("param");
  const { event, wait } = c.req.valid("json");
  const order = { event: JSON.stringify(event), waitSeconds: wait, ...causeOf(c.req) };
  return c.json({ data: present(await runSource(c.var.context, id, order), id) }, 200);
});

function present(result: ManualRun, id: string): z.input<typeof RunBody> {
  const { runId: run_id, state } = result;
  const known = { run_id, source_id: id, state };
  if (!("events" in result)) return known;
  const { events, response } = result;
  const records = (channel: string) =>
    events.flatMap((event) => (event.channel === channel ? [JSON.parse(event.payload)] : []));
  return {
    ...known,
    events: events
      .filter(({ channel }) => !channel.startsWith(SYSTEM_PREFIX) || channel === DELAYED_CHANNEL)
      .map((event) => presentEvent(event, id)),
    logs: records(LOG_CHANNEL),
    errors: records(ERROR_CHANNEL).map(({ error }) => error),
    ...(response && { response: { ...response, body: textOf(response.body) } }),
  };
}

function textOf(body: string | Uint8Array | null): string | null {
  return body instanceof Uint8Array ? new TextDecoder().decode(body) : body;
}
