import { expect, test } from "vitest";

import { failureOf } from "#durable-objects/webhook/agent-delivery.ts";
import type { Attempt, CallbackFailure } from "#durable-objects/webhook/contract.ts";

const NONE = { atMs: 0, status: null, latencyMs: 20 };

test.each<[CallbackFailure, Attempt]>([
  ["timeout", { ...NONE, isTimeout: true, error: "any text" }],
  ["connection_refused", { ...NONE, error: "No response within 15 s" }],
  ["connection_refused", { ...NONE, error: "Network connection lost" }],
  ["tls_error", { ...NONE, error: "The certificate has expired" }],
  ["http_4xx", { ...NONE, status: 410 }],
  ["http_5xx", { ...NONE, status: 503 }],
  ["challenge_failed", { ...NONE, status: 302, error: "Redirects are not followed" }],
])("the kind of a failure is %s: %o", (failure, attempt) => {
  expect(failureOf(attempt)).toBe(failure);
});

test("an attempt of an earlier release that took the whole time is a timeout", () => {
  const stored = { atMs: 0, status: null, latencyMs: 15_003, error: "No answer within 15 s" };
  expect(failureOf(stored)).toBe("timeout");
});
