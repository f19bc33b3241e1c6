import { expect, test } from "vitest";

import { admit, reasonToSkip, rejectionOf } from "#durable-objects/emitter/admission.ts";

const EVENT = { event: "{}", hops: 0, budget: 10 };

function emitter({ runsLeft = Infinity, load = 0, isFull = false } = {}) {
  const meter = {
    exhausted: (count: number) =>
      runsLeft <= count ? ({ quota: "daily_invocations_quota", limit: 5 } as const) : undefined,
  };
  return { meter, backlog: { load: () => load, isFull: () => isFull } };
}

function statusOf(
  incoming: Partial<{ event: string | null; hops: number; budget: number }>,
  state: Parameters<typeof emitter>[0],
) {
  const admission = admit({ ...EVENT, ...incoming }, { ...emitter(state), kind: "workflow" });
  if ("event" in admission) return admission.event;
  const { status, body } = admission.refusal;
  return [status, JSON.parse(String(body)).code];
}

test.for([
  ["an event without a limit", {}, {}, "{}"],
  ["an event at the hop limit", { hops: 16 }, {}, [508, "loop_detected"]],
  ["an event without a budget", { budget: 0 }, {}, [508, "loop_detected"]],
  ["an event that is too large", { event: null }, {}, [413, "too_large"]],
  ["an event over the quota", {}, { runsLeft: 3, load: 3 }, [429, "quota_exceeded"]],
  ["an event within the quota", {}, { runsLeft: 4, load: 3 }, "{}"],
  ["an event while too many wait", {}, { isFull: true }, [429, "overloaded"]],
  ["a loop before all else", { hops: 16, event: null }, { isFull: true }, [508, "loop_detected"]],
  ["the quota before the queue", {}, { runsLeft: 0, isFull: true }, [429, "quota_exceeded"]],
] as const)("the same rule admits or rejects %s", ([, incoming, state, expected]) => {
  expect(statusOf(incoming, state)).toEqual(expected);
});

test("a rejection names the quota", () => {
  expect(rejectionOf(emitter({ runsLeft: 0 }))).toEqual({
    reason: "quota_exceeded",
    quota: "daily_invocations_quota",
    limit: 5,
  });
});

test("a tick is skipped while the last one is pending or a quota is used up", () => {
  const { meter } = emitter({ runsLeft: 1 });
  expect(reasonToSkip(meter, { isPending: true, load: 0 })).toMatch(/has not ended/);
  expect(reasonToSkip(meter, { isPending: false, load: 1 })).toMatch(/quota/);
  expect(reasonToSkip(meter, { isPending: false, load: 0 })).toBeUndefined();
});
