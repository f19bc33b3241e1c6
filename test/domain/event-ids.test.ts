import * as fc from "fast-check";
import { expect, test } from "vitest";

import {
  eventId,
  laneOf,
  LANES,
  millisecondsOf,
  nextPosition,
  positionOf,
} from "#domain/event-ids.ts";

test("ids rise for any clock, and contain their position", () => {
  const clock = fc.array(fc.integer({ min: 0, max: 4_102_444_800_000 }), {
    minLength: 1,
    maxLength: 2000,
  });
  fc.assert(
    fc.property(clock, (times) => {
      let last = 0;
      for (const nowMs of times) {
        const position = nextPosition(last, nowMs);
        expect(position).toBeGreaterThan(last);
        expect(millisecondsOf(position)).toBeGreaterThanOrEqual(nowMs);
        expect(positionOf(eventId(position))).toBe(position);
        last = position;
      }
    }),
  );
});

test("objects with a lane each never get the same position, whatever their clocks", () => {
  const emits = fc.array(
    fc.record({
      lane: fc.integer({ min: 0, max: LANES - 1 }),
      nowMs: fc.integer({ min: 0, max: 20 }),
    }),
    { maxLength: 500 },
  );
  fc.assert(
    fc.property(emits, (all) => {
      const last = new Map<number, number>();
      const positions = all.map(({ lane, nowMs }) => {
        const position = nextPosition(last.get(lane) ?? 0, nowMs, lane);
        expect(position).toBeGreaterThan(last.get(lane) ?? 0);
        expect(position).toBeGreaterThanOrEqual(nowMs * 1000);
        expect(laneOf(position)).toBe(lane);
        last.set(lane, position);
        return position;
      });
      expect(new Set(positions).size).toBe(all.length);
    }),
  );
});

test("further events of a full millisecond use the next one", () => {
  let last = nextPosition(0, 5);
  for (let n = 0; n < 1000; n += 1) last = nextPosition(last, 5);
  expect(eventId(last)).toBe("6-0");
});

test.for(["", "5", "-1-0", "5-1000", "5-", "a-0", "99999999999999-0", "5-0 "])(
  "%j is not an event id",
  (text) => {
    expect(positionOf(text)).toBeUndefined();
  },
);
