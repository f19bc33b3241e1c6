/** The event sent to components, with the fields that most of them read. */
export const EVENT = {
  id: 1,
  type: "thing.created",
  event: "created",
  action: "created",
  created_at: "2025-01-02T03:04:05.000Z",
  data: { id: 1, name: "One", object: { id: 1, name: "One" } },
  payload: { id: 1, name: "One" },
};
