import type { Trial } from "./subject.ts";

/** An event with the fields that most components read. */
const EVENT = {
  id: 1,
  type: "thing.created",
  event: "created",
  action: "created",
  created_at: "2025-01-02T03:04:05.000Z",
  data: { id: 1, name: "One", object: { id: 1, name: "One" } },
  payload: { id: 1, name: "One" },
};

/** The event that a component is sent: that of its fixtures, else a generated one. */
export function eventOf({ fixtures }: Pick<Trial, "fixtures">): unknown {
  return fixtures?.event ?? EVENT;
}
