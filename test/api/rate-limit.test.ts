// @suites loader

import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, onTestFinished, test, vi } from "vitest";

import { app } from "#worker/http/app.ts";

import { operator, ORIGIN, signUp } from "../support/client.ts";

/** Send a request to a platform with this rate limit. */
async function send(limit: number | string, key: string, path = "/v1/users/me", method = "GET") {
  const headers = { authorization: `Bearer ${key}` };
  const ctx = createExecutionContext();
  const incoming = new Request(`${ORIGIN}${path}`, { method, headers });
  const response = await app.fetch(incoming, { ...env, RATE_LIMIT: String(limit) }, ctx);
  await waitOnExecutionContext(ctx);
  return response;
}

const remaining = ({ headers }: Response) => headers.get("x-ratelimit-remaining");

/** Stop the clock until the end of the test, at a full second from now. Returns its seconds. */
function stopClock(afterMs = 0): number {
  const seconds = Math.ceil((Date.now() + afterMs) / 1000);
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ["Date"], now: seconds * 1000 });
  return seconds;
}

test("every response to a key has its remaining requests, including failures", async () => {
  const { user } = await signUp();
  const now = stopClock();
  const answers = [
    await send(5, user.api_key),
    await send(5, user.api_key, "/v1/nowhere"),
    await send(5, user.api_key, "/v1/users/me", "PATCH"),
    await send(5, user.api_key, "/v1/users/me/sources?limit=0"),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 404, 405, 400]);
  expect(answers.map(remaining)).toEqual(["4", "3", "2", "1"]);
  const resets = answers.map(({ headers }) => headers.get("x-ratelimit-reset"));
  expect(resets).toEqual(resets.map(() => String(now + 10)));
});

test("an invalid limit means the default limit, not none", async () => {
  const { user } = await signUp();
  expect(remaining(await send("1O0", user.api_key))).toBe("999");
  expect(remaining(await send("", user.api_key))).toBe("998");
});

test("rejects requests beyond a key's limit with Retry-After", async () => {
  const { user } = await signUp();
  const now = stopClock();
  const answers = await Promise.all(Array.from({ length: 8 }, () => send(5, user.api_key)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
  const late = [...answers.filter(({ status }) => status === 429), await send(5, user.api_key)];
  expect(late).toHaveLength(4);
  for (const response of late) {
    expect(await response.json()).toEqual({
      error: "An API key may make at most 5 requests in 10 seconds",
      code: "rate_limited",
    });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "x-ratelimit-limit": "5",
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": String(now + 10),
      "x-request-id": expect.any(String),
    });
    expect(response.headers.get("retry-after")).toBe("10");
  }
});

test("accepts requests again after the window", async () => {
  const { user } = await signUp();
  for (const status of [200, 200, 429])
    expect(await send(2, user.api_key)).toMatchObject({ status });
  stopClock(10_001);
  const answer = await send(2, user.api_key);
  expect([answer.status, remaining(answer)]).toEqual([200, "1"]);
});

test("each key has its own limit, even keys of one user", async () => {
  const { user } = await signUp();
  const { body } = await operator.post(`/users/${user.id}/api_keys`, {});
  for (const status of [200, 429]) expect(await send(1, user.api_key)).toMatchObject({ status });
  expect(await send(1, body.data.api_key)).toMatchObject({ status: 200 });
});

test("limits all keys and sessions of a user together to five times the limit of a key", async () => {
  const { user } = await signUp();
  const now = stopClock();
  const made = Array.from({ length: 6 }, () => operator.post(`/users/${user.id}/api_keys`, {}));
  const keys = (await Promise.all(made)).map(({ body }) => String(body.data.api_key));
  for (const key of keys.slice(0, 5))
    for (const status of [200, 200]) expect(await send(2, key)).toMatchObject({ status });
  const late = await send(2, keys.at(-1) ?? "");
  expect(late.status).toBe(429);
  expect(await late.json()).toEqual({
    error: "All keys and tokens of an owner together may make at most 10 requests in 10 seconds",
    code: "rate_limited",
  });
  expect(Object.fromEntries(late.headers)).toMatchObject({
    "x-ratelimit-limit": "10",
    "x-ratelimit-reset": String(now + 10),
    "retry-after": "10",
  });
  const { user: other } = await signUp();
  expect(await send(2, other.api_key)).toMatchObject({ status: 200 });
});

test("rejects unknown keys without counting them", async () => {
  for (let n = 0; n < 3; n += 1) {
    const answer = await send(1, "unknown");
    expect([answer.status, remaining(answer)]).toEqual([401, null]);
  }
});

test("a limit of 0 means no limit", async () => {
  const { user } = await signUp();
  for (let n = 0; n < 3; n += 1) {
    const answer = await send(0, user.api_key);
    expect([answer.status, remaining(answer)]).toEqual([200, null]);
  }
});

test("the operator is not limited", async () => {
  const answer = await operator.get("/openapi.json");
  expect([answer.status, answer.headers.get("x-ratelimit-limit")]).toEqual([200, null]);
});
