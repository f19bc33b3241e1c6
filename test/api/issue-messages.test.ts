// @suites loader

import { expect, test } from "vitest";

import { signUp } from "../support/client.ts";

test.for([
  ["/subscriptions", {}, "emitter_id: is required; listener_id: is required"],
  [
    "/subscriptions",
    { emitter_id: 5, listener_id: null },
    /emitter_id: must be text, not a number; listener_id: must be text, not null/,
  ],
  ["/workflows", { name: "x" }, "steps: is required"],
  ["/workflows", { name: "x", steps: "none" }, "steps: must be a list, not text"],
  ["/workflows", { name: "", steps: [] }, /name: must not be empty/],
  [
    "/workflows",
    { name: "x", steps: [], trigger: { type: "tcp" } },
    /trigger\.type: must be one of "none", "http", "timer"/,
  ],
  ["/auto_subscriptions", { listener_id: "dc_1" }, /event_name: is required/],
] as [string, object, string | RegExp][])(
  "POST %s with %j names the fault",
  async ([path, body, error]) => {
    const ada = await signUp();
    const answer = await ada.post(path, body);
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringMatching(error) } });
  },
);

test.for([
  ["limit=many", "limit: must be a whole number in plain digits"],
  ["limit=0", "limit: must be at least 1"],
  ["limit=1.5", /limit: must be a whole number/],
  ["limit=101", "limit: must be at most 100"],
] as [string, string | RegExp][])("a list with %s names the fault", async ([query, error]) => {
  const ada = await signUp();
  const answer = await ada.get(`/users/me/sources?${query}`);
  expect(answer).toMatchObject({ status: 400, body: { error: expect.stringMatching(error) } });
});

test("a missing number is reported as required", async () => {
  const ada = await signUp();
  const { body } = await ada.post("/webhooks?url=https://example.com");
  const answer = await ada.post(`/webhooks/${body.data.id}/replay`, {});
  expect(answer).toMatchObject({ status: 400, body: { error: "from_ms: is required" } });
});
