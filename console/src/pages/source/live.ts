import { useEffect, useReducer } from "react";

import { api } from "../../api/client.ts";
import { noticeEnd } from "../../api/queries.ts";
import { type EventSummary, readEvents } from "../../api/sources.ts";
import { useIsDeleted } from "../../components/deletion.ts";

/** Maximum events in the page; older ones are read again when it is reopened. */
const MAX_EVENTS = 1000;

/** Events that arrive within this time are shown together. */
const BATCH_MS = 30;

/** The events of a channel, newest first: the stored ones, and each new one as it is emitted. */
export type Feed = {
  events: EventSummary[];
  isLoading: boolean;
  isPaused: boolean;
  /** The number of events since it was paused. */
  waiting: number;
  failure: Error | undefined;
  setPaused: (isPaused: boolean) => void;
  retry: () => void;
};

type State = {
  events: EventSummary[];
  isLoading: boolean;
  /** The shown rows while it is paused. */
  held: EventSummary[] | undefined;
  waiting: number;
  failure: Error | undefined;
  attempt: number;
};

type Change =
  | { type: "begin"; attempt: number }
  | { type: "read"; events: EventSummary[] }
  | { type: "arrived"; events: EventSummary[] }
  | { type: "failed"; failure: Error }
  | { type: "paused" }
  | { type: "resumed" }
  | { type: "retry" };

const START: State = {
  events: [],
  isLoading: true,
  held: undefined,
  waiting: 0,
  failure: undefined,
  attempt: 0,
};

/** Stream a channel of a source or a workflow; without one, all of its events. */
export function useFeed(emitterId: string, channel?: string): Feed {
  const [state, change] = useReducer(reduce, START);
  const { attempt } = state;
  const isDeleted = useIsDeleted(emitterId);
  useEffect(() => {
    if (isDeleted) return undefined;
    const end = new AbortController();
    change({ type: "begin", attempt });
    follow(emitterId, channel, { change, signal: end.signal }).catch((error: unknown) => {
      if (end.signal.aborted) return;
      noticeEnd(error);
      change({ type: "failed", failure: asError(error) });
    });
    return () => end.abort(new Error("The page was closed"));
  }, [emitterId, channel, attempt, isDeleted]);
  const { held, events, isLoading, waiting, failure } = state;
  return {
    events: held ?? events,
    isLoading,
    isPaused: held !== undefined,
    waiting,
    failure,
    setPaused: (isPaused) => change({ type: isPaused ? "paused" : "resumed" }),
    retry: () => change({ type: "retry" }),
  };
}

async function follow(
  emitterId: string,
  channel: string | undefined,
  { change, signal }: { change: (change: Change) => void; signal: AbortSignal },
): Promise<void> {
  const read = async () => {
    const stored = await readEvents(emitterId, { channel, signal });
    change({ type: "read", events: stored });
    return stored;
  };
  const [newest] = await read();
  let batch: EventSummary[] = [];
  const flush = () => {
    const events = batch.toReversed();
    batch = [];
    change({ type: "arrived", events });
  };
  const stream = api.follow(emitterId, {
    signal,
    ...(channel !== undefined && { eventName: channel }),
    ...(newest && { lastEventId: newest.id }),
    // The first events may have been emitted between the reading and the begin of the stream.
    onBegin: () => void read().catch(() => {}),
  });
  for await (const event of stream) {
    batch.push(event);
    if (batch.length === 1) setTimeout(flush, BATCH_MS);
  }
}

function reduce(state: State, change: Change): State {
  switch (change.type) {
    case "begin":
      return { ...START, attempt: change.attempt };
    case "read":
      return { ...withEvents(state, mergedEvents(state.events, change.events)), isLoading: false };
    case "arrived":
      return withEvents(state, mergedEvents(change.events, state.events));
    case "failed":
      return { ...state, isLoading: false, failure: change.failure };
    case "paused":
      return { ...state, held: state.events };
    case "resumed":
      return { ...state, held: undefined, waiting: 0 };
    case "retry":
      return { ...state, attempt: state.attempt + 1 };
  }
}

/** Events, newest first: those of `newer` that are not in `older` come before it. */
function mergedEvents(newer: EventSummary[], older: EventSummary[]): EventSummary[] {
  return [...eventsBeyond(older, newer), ...older].slice(0, MAX_EVENTS);
}

/** Those of some events that are not among others. */
function eventsBeyond(others: EventSummary[], events: EventSummary[]): EventSummary[] {
  const otherIds = new Set(others.map(({ id }) => id));
  return events.filter(({ id }) => !otherIds.has(id));
}

function withEvents(state: State, events: EventSummary[]): State {
  const newCount = eventsBeyond(state.events, events).length;
  return { ...state, events, waiting: state.held ? state.waiting + newCount : 0 };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
