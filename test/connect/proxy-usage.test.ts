// @suites loader

import { expect, test } from "vitest";

import { operator } from "../support/client.ts";
import { accountOf, newBrowser } from "../support/connect.ts";
import { now } from "../support/oauth.ts";
import {
  base64,
  connected,
  type Customer,
  KEYED,
  newApp,
  proxied,
  type Sent,
  upstream,
} from "../support/proxy.ts";
import { newReceiver } from "../support/webhook.ts";

/** Today's usage of a customer's owner, as reported to the owner and to the customer's program. */
async function usedBy({ ada, connect }: Pick<Customer, "ada" | "connect">) {
  const { body: user } = await ada.get("/users/me");
  const { body: usage } = await connect.get(`/usage?start_ts=${now() - 60}&end_ts=${now() + 60}`);
  const { daily_invocations_used: invocations } = user.data;
  const credits = usage.data.map((day: { credits_used: number }) => day.credits_used);
  return { invocations, credits };
}

test("a sent request costs its payer a credit, whatever its outcome; a rejected one costs nothing", async () => {
  const { customer, account } = await connected();
  const at = (path: string, sent: Sent = {}) =>
    proxied(customer, account, `${upstream}${path}`, sent);
  expect(await usedBy(customer)).toEqual({ invocations: 0, credits: [] });
  await Promise.all([1, 2, 3].map(() => at("/echo")));
  expect(await usedBy(customer)).toEqual({ invocations: 3, credits: [3] });
  expect(await at("/redirect/302")).toMatchObject({ status: 200 });
  expect(await at("/status/500")).toMatchObject({ status: 500 });
  expect(await at("/hangup")).toMatchObject({ status: 502 });
  expect(await usedBy(customer)).toEqual({ invocations: 6, credits: [6] });
  const wrong = await accountOf(customer, "one", {
    app: await newApp(KEYED),
    credentials: { api_key: "two\nlines" },
  });
  expect(await at("/echo", { user: "two" })).toMatchObject({ status: 404 });
  expect(await proxied(customer, account, "https://example.com/")).toMatchObject({ status: 400 });
  expect(await proxied(customer, wrong, `${upstream}/echo`)).toMatchObject({ status: 400 });
  expect(await at("/echo", { headers: { "x-wellspring-hops": "16" } })).toMatchObject({
    status: 508,
  });
  expect(await usedBy(customer)).toEqual({ invocations: 6, credits: [6] });
});

test("a request is rejected, and not sent, after its payer's quota is used up", async () => {
  const { customer } = await connected();
  const api = await newReceiver({ status: 200, body: "in" });
  const app = await newApp({ hosts: [new URL(api.url).host] });
  const account = await accountOf(customer, "one", { app });
  const other = await accountOf(customer, "two", { app });
  const send = (user: string) =>
    proxied(customer, user === "one" ? account : other, api.url, { method: "POST", user });
  const allow = (quotas: object) => operator.put(`/users/${customer.ada.user.id}/quotas`, quotas);
  await allow({ daily_credits_quota: 2 });
  expect(await send("one")).toMatchObject({ status: 200 });
  expect(await send("two")).toMatchObject({ status: 200 });
  const refused = await send("one");
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(JSON.parse(refused.text)).toMatchObject({
    code: "quota_exceeded",
    error:
      "The request was not sent: the owner's daily credits quota is used up until midnight UTC",
  });
  const browser = await newBrowser(customer, "one");
  const path = `/proxy/${base64(api.url)}?account_id=${account}`;
  expect(await browser.post(path)).toMatchObject({ status: 429 });
  expect(await api.received()).toHaveLength(2);
  await allow({ daily_credits_quota: null, daily_invocations_quota: 3 });
  expect((await send("two")).status).toBe(200);
  expect((await send("two")).status).toBe(429);
  expect(await usedBy(customer)).toEqual({ invocations: 3, credits: [3] });
});
