/** What components are sent: something of most of what they look for. */
export const EVENT = {
  id: "1",
  type: "thing.created",
  event: "created",
  action: "created",
  created_at: "2025-01-02T03:04:05.000Z",
  data: { id: "1", name: "One", object: { id: "1", name: "One" } },
  payload: { id: "1", name: "One" },
};
