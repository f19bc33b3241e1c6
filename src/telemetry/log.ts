import { env } from "cloudflare:workers";

import { EVENTS, type EventName, type Level, LEVELS } from "./events.ts";
import { faultOf } from "./fault.ts";

/**
 * The fields of a line beside its event: ids, numbers and the platform's own words. There is no field for users' data,
 * and it is removed from messages of errors.
 */
export type Fields = {
  request_id?: string | undefined;
  run_id?: string | undefined;
  owner_id?: string | undefined;
  source_id?: string | undefined;
  workflow_id?: string | undefined;
  webhook_id?: string | undefined;
  emitter_id?: string | undefined;
  listener_id?: string | undefined;
  event_id?: string | undefined;
  emit_id?: string | undefined;
  /** The resource of a maintenance task: an account, an app, a source, a workflow, a webhook or a data store. */
  subject_id?: string | undefined;
  script?: string | undefined;
  check?: string | undefined;
  /** The task of the sweep. */
  part?: string | undefined;
  method?: string | undefined;
  route?: string | undefined;
  /** Of a response; in a line about a delivery, its class. */
  status?: number | string | undefined;
  trigger?: string | undefined;
  attempt?: number | undefined;
  compute_ms?: number | undefined;
  age_ms?: number | undefined;
  outcome?: string | undefined;
  duration_ms?: number | undefined;
  count?: number | undefined;
  /** A thrown value. */
  error?: unknown;
};

/** Write a line about an event, unless its level is below `LOG_LEVEL`. Never throws. */
export function log(event: EventName, fields: Fields = {}): void {
  const [level, message] = EVENTS[event];
  if (!isWritten(level) && !isFollowed(level, fields.request_id)) return;
  const { error, ...others } = fields;
  const line = {
    time: new Date().toISOString(),
    level,
    event,
    message,
    ...others,
    ...(error !== undefined && { error: faultOf(error) }),
  };
  WRITE[level](JSON.stringify(line));
}

/** The method of a line sets its level where Cloudflare keeps logs, too. */
const WRITE = {
  debug: (line: string) => console.debug(line),
  info: (line: string) => console.log(line),
  warn: (line: string) => console.warn(line),
  error: (line: string) => console.error(line),
};

/**
 * Whether a line is written although its level is below `LOG_LEVEL`, because its event is traced. The id of the request
 * decides, so that all hops of one event agree.
 */
function isFollowed(level: Level, requestId: string | undefined): boolean {
  if (level !== "debug" || requestId === undefined || !isWritten("info")) return false;
  return (
    Number.parseInt(requestId.slice(-8), 16) / 2 ** 32 <
    Number(env.TRACE_SHARE || env.TRACE_SAMPLE_RATE)
  );
}

function isWritten(level: Level): boolean {
  return LEVELS.indexOf(level) >= LEVELS.indexOf(levelOf(env.LOG_LEVEL));
}

/** An unknown level must not suppress any line. */
function levelOf(text: string): Level {
  return LEVELS.find((level) => level === text) ?? "info";
}
