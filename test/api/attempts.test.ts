// @suites loader

import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { clientOf, operator, request, signUp } from "../support/client.ts";

const HOUR_MS = 3_600_000;

let nowMs = Date.now() - 24 * HOUR_MS;

// Each test has an hour of the past for itself, in which no time passes: what it counts limits no other test and no other
// file, and a window does not end on a busy machine.
beforeEach(() => {
  nowMs += HOUR_MS;
  vi.useFakeTimers({ toFake: ["Date"], now: nowMs });
});
afterEach(() => void vi.useRealTimers());

const WRONG = { authorization: "Bearer a-wrong-token" };

/** A network that no other test uses. */
const newAddress = () => {
  const groups = crypto.randomUUID().replaceAll("-", "").slice(0, 12).match(/.{4}/g);
  return `2001:${groups?.join(":")}::`;
};

/** The statuses of this many requests, one after another. */
async function statusesOf(count: number, send: (n: number) => Promise<{ status: number }>) {
  const statuses: number[] = [];
  for (let n = 0; n < count; n += 1) statuses.push((await send(n)).status);
  return statuses;
}

const times = (count: number, status: number) => Array.from({ length: count }, () => status);

test("limits wrong admin tokens of a network, whichever of its addresses they come from", async () => {
  const network = newAddress();
  const send = (n: number) =>
    request("GET", "/admin/users", {
      headers: { ...WRONG, "cf-connecting-ip": `${network}${n.toString(16)}` },
    });
  expect(await statusesOf(32, send)).toEqual([...times(30, 401), ...times(2, 429)]);
  const late = await operator.get("/users", undefined, { "cf-connecting-ip": `${network}ffff` });
  expect(late).toMatchObject({
    status: 429,
    body: {
      error: "One address may send a wrong admin token at most 30 times in 10 seconds",
      code: "rate_limited",
    },
  });
  expect(Number(late.headers.get("retry-after"))).toBeGreaterThan(0);
  const elsewhere = { "cf-connecting-ip": newAddress() };
  expect(await operator.get("/users", undefined, elsewhere)).toMatchObject({ status: 200 });
});

test("limits wrong admin tokens in sum, and keeps no network out that had the right one", async () => {
  const headers = { "cf-connecting-ip": newAddress() };
  // Also without an address, as the other tests send it.
  for (const sent of [headers, {}])
    expect(await operator.get("/users", undefined, sent)).toMatchObject({ status: 200 });
  const guess = () =>
    request("GET", "/admin/users", { headers: { ...WRONG, "cf-connecting-ip": newAddress() } });
  // A window of the present, which other files opened, counts in the past as well.
  expect((await statusesOf(301, guess)).at(-1)).toBe(429);
  const stranger = { "cf-connecting-ip": newAddress() };
  expect(await operator.get("/users", undefined, stranger)).toMatchObject({ status: 429 });
  expect(await operator.get("/users", undefined, headers)).toMatchObject({ status: 200 });
});

test("limits wrong client secrets of an address", async () => {
  const headers = { "cf-connecting-ip": newAddress() };
  const body = { grant_type: "client_credentials", client_id: "oac_none", client_secret: "guess" };
  const send = () => request("POST", "/v1/oauth/token", { body, headers });
  expect(await statusesOf(31, send)).toEqual([...times(30, 401), 429]);
});

test("limits the registrations of agents' clients by address", async () => {
  const headers = { "cf-connecting-ip": newAddress() };
  const body = { client_name: "Agent", redirect_uris: ["https://agent.example/callback"] };
  const send = () => request("POST", "/oauth/register", { body, headers });
  expect(await statusesOf(31, send)).toEqual([...times(30, 201), 429]);
});

test("limits invalid keys of an address, and not its valid ones in use", async () => {
  const { user } = await signUp();
  const headers = { "cf-connecting-ip": newAddress() };
  const ada = clientOf(user.api_key, "/v1");
  expect(await ada.get("/users/me", undefined, headers)).toMatchObject({ status: 200 });
  const guess = () => request("GET", "/v1/users/me", { headers: { ...WRONG, ...headers } });
  expect(await statusesOf(301, guess)).toEqual([...times(300, 401), 429]);
  expect(await ada.get("/users/me", undefined, headers)).toMatchObject({ status: 200 });
});
