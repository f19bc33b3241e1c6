import { hasAuthority } from "#db/agent-authority.ts";
import { agentToken } from "#db/agent-grants.ts";
import { sourceInAnyState } from "#db/agent-sources.ts";
import {
  ACCESS_REVOKED,
  EVENT_TYPE_GONE,
  type Occurrence,
  occurrenceOf,
  passes,
  type Termination,
} from "#domain/agent-events.ts";
import { DEFAULT_CHANNEL } from "#domain/channels.ts";
import { RequestError } from "#domain/errors.ts";
import type { EventMeta, EventSummary } from "#domain/events.ts";
import type { Filter } from "#domain/filters.ts";
import type { Json } from "#domain/json.ts";
import { singlePlace } from "#domain/stream-places.ts";

import { admitPoll } from "./admission.ts";
import { type AgentContext, authorityOf, requireKind } from "./context.ts";
import { cursorAfter, eventIdIn, eventsAfter, isBefore, placeOfNow } from "./event-history.ts";
import { filterOf, openEventType } from "./event-types.ts";
import type { EventPoll } from "./poll.ts";
import { type EventSource, sourceOfType } from "./shared-sources/share.ts";

/** Maximum events that are read from the history at a time, before the stream is live. */
const PART_LENGTH = 50;

/** Maximum time of a stream: the next one needs a token again, which may have expired. */
const MAX_STREAM_MS = 3600_000;

/** The first message of a source's stream. */
const OPENED = ": open";

/** An event type that an agent follows, from a cursor on, or from now. */
export type EventStream = Omit<EventPoll, "maxEvents">;

/** The messages to the client of a stream. */
export type StreamOutput = {
  active: (state: { cursor: string; truncated: boolean }) => Promise<void>;
  event: (occurrence: Occurrence) => Promise<void>;
  heartbeat: (state: { cursor: string }) => Promise<void>;
  terminated: (state: { error: Termination }) => Promise<void>;
};

/** An open stream: its source, its position, and its destination. */
type Open = {
  agent: AgentContext;
  source: EventSource;
  name: string;
  filter: Filter | undefined;
  output: StreamOutput;
  reached: string;
  endsAtMs: number;
};

/**
 * Send the events of a source's default channel as they are emitted, after those that the client missed. Resolves when
 * the client disconnects, the source is deleted, or the agent loses access to it, and after an hour.
 */
export async function streamEvents(
  agent: AgentContext,
  { cursor, maxAgeMs, ...named }: EventStream,
  { output, signal }: { output: StreamOutput; signal: AbortSignal },
): Promise<void> {
  requireKind(agent, "subscribe");
  const { name } = named;
  const place = await eventIdIn(agent, { name, cursor });
  const type = await openEventType(agent, named);
  await admitPoll(agent);
  const source = await sourceOfType(agent, type, "polls");
  const reached = place ?? (await placeOfNow(agent, source));
  const endsAtMs = Math.min(Date.now() + MAX_STREAM_MS, tokenEndsAtMs(agent));
  const open: Open = { agent, source, name, filter: filterOf(type), output, reached, endsAtMs };
  await sendMissed(open, place === undefined ? undefined : maxAgeMs);
  if (!signal.aborted) await follow(open, signal);
  if (!signal.aborted) await notifyEnd(open);
}

/** Send the source's stored events after the client's position. */
async function sendMissed(open: Open, maxAgeMs: number | undefined): Promise<void> {
  const { agent, source, filter, output } = open;
  let isFirst = true;
  for (let hasMore = true; hasMore; isFirst = false) {
    const query = { after: open.reached, maxAgeMs, limit: PART_LENGTH, filter };
    const truncated = isBefore(open.reached, source);
    const part = await eventsAfter(agent, source.id, query);
    if (isFirst)
      await output.active({
        cursor: await cursorOf(open),
        truncated: truncated || part.truncated,
      });
    if (!isFirst && !(await mayGoOn(open))) return;
    for (const event of part.events) await sendEvent(open, event);
    open.reached = part.reached;
    ({ hasMore } = part);
  }
}

/** Send events emitted after that, and heartbeats. */
async function follow(open: Open, signal: AbortSignal): Promise<void> {
  const { agent, source, reached } = open;
  const query = { channels: [DEFAULT_CHANNEL], lastEventId: reached };
  const emitter = { id: source.id, ownerId: agent.owner };
  const response = await agent.follow(agent.keyHash, emitter, query);
  if (!response.ok || !response.body) throw await refused(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const stop = (): void => void reader.cancel().catch(() => undefined);
  signal.addEventListener("abort", stop);
  try {
    await pass(open, reader);
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
  }
}

async function pass(open: Open, reader: ReadableStreamDefaultReader<string>): Promise<void> {
  let text = "";
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const messages = (text + next.value).split("\n\n");
    text = messages.pop() ?? "";
    if (!(await mayGoOn(open))) return;
    for (const message of messages) await passMessage(open, message);
  }
}

/** An event as the stream of a source contains it. */
type Streamed = {
  id: string;
  indexed_at_ms: number;
  event: Json;
  metadata: EventMeta & { emit_id: string };
};

/** Forward a message; a comment is a heartbeat. */
async function passMessage(open: Open, message: string): Promise<void> {
  const { source, filter, output } = open;
  // Without `.`: a payload may contain separators of lines beside the line feed.
  const [, data] = /^data: ([^\n]*)/m.exec(message) ?? [];
  if (message === OPENED) return;
  if (data === undefined) {
    await output.heartbeat({ cursor: await cursorOf(open) });
    return;
  }
  const { id, indexed_at_ms: indexedAtMs, event, metadata }: Streamed = JSON.parse(data);
  const { emit_id: emitId, ...meta } = metadata;
  const payload = JSON.stringify(event);
  const [, place = id] = /^id: (.*)$/m.exec(message) ?? [];
  // Of a source with shards it is before the event: others may still follow.
  open.reached = singlePlace(place);
  if (passes(filter, source.id, { meta, payload, channel: DEFAULT_CHANNEL }))
    await sendEvent(open, { id, emitId, indexedAtMs, payload });
}

async function sendEvent(
  { agent, name, output }: Open,
  event: Pick<EventSummary, "emitId" | "id" | "indexedAtMs" | "payload">,
): Promise<void> {
  await output.event(occurrenceOf(name, event, await cursorAfter(agent, name, event.id)));
}

/** Whether a stream is not over, and its agent's token and access are still valid: nothing is sent after a revocation. */
async function mayGoOn({ agent, endsAtMs }: Open): Promise<boolean> {
  if (Date.now() > endsAtMs) return false;
  const { db, grant, keyHash } = agent;
  const [isHeld, token] = await Promise.all([
    hasAuthority(db, authorityOf(agent)),
    grant && agentToken(db, keyHash, agent.now()),
  ]);
  return isHeld && (!grant || token !== undefined);
}

/** Notify the client if the subscription is over, and not this stream alone. */
async function notifyEnd({ agent, source, output }: Open): Promise<void> {
  const { db } = agent;
  if (!(await hasAuthority(db, authorityOf(agent))))
    await output.terminated({ error: ACCESS_REVOKED });
  else if ((await sourceInAnyState(db, source.id))?.state !== "live")
    await output.terminated({ error: EVENT_TYPE_GONE });
}

function tokenEndsAtMs({ credentials: { expiresAt } }: AgentContext): number {
  return expiresAt === null ? Infinity : expiresAt * 1000;
}

function cursorOf({ agent, name, reached }: Open): Promise<string> {
  return cursorAfter(agent, name, reached);
}

async function refused(response: Response): Promise<RequestError> {
  const { error } = await response.json<{ error: string }>();
  return new RequestError(response.status === 429 ? "rate_limited" : "not_found", error);
}
