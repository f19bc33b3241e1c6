// @suites release

import { expect, test } from "vitest";

import { appProp, newAgent } from "../support/agents.ts";
import {
  agentSourcesOf,
  claimsOf,
  ownerOfAccount,
  savedSource,
  sourcesOf,
  tickOnce,
} from "../support/component-events.ts";
import { subscriber } from "../support/subscriptions.ts";
import { newCallback, newReceiver } from "../support/webhook.ts";

test("a hundred equal subscriptions, twenty at once, cost one poll, and each gets its event", async () => {
  const [deployments, upstream] = [await newReceiver(), await newReceiver()];
  const { agent, customer, account } = await newAgent();
  const key = await savedSource(customer.ada, {
    hooks: `async deploy() { await fetch("${deployments.url}", { method: "POST" }); }`,
    props: `${appProp("github")}, size: "integer",
      timer: { type: "$.interface.timer", static: { cron: "0 0 1 1 *" } }`,
    run: `const { api_key } = this.github.$auth;
      await fetch("${upstream.url}", { method: "POST", body: JSON.stringify([api_key, this.size]) });
      this.$emit({ id: 1 });`,
  });
  const callback = await newCallback();
  // A host may be challenged a hundred times in ten seconds, by all tests together.
  const hosts = [callback.url, callback.url.replace("127.0.0.1", "localhost")];
  const all = Array.from({ length: 100 }, (_, n) =>
    subscriber(agent, key, { url: `${hosts[n % 2]}?${n}` }),
  );
  const given = { arguments: { github: account, size: 1 } };
  const granted = [];
  for (let done = 0; done < all.length; done += 20) {
    const some = all.slice(done, done + 20);
    granted.push(...(await Promise.all(some.map(({ subscribe }) => subscribe(given)))));
  }
  expect(granted.flatMap(({ error }) => (error ? [error] : []))).toEqual([]);
  expect(new Set(granted.map(({ result }) => result.id)).size).toBe(100);
  const owner = await ownerOfAccount(account);
  const [source, ...others] = await agentSourcesOf(owner);
  expect([others, await sourcesOf(owner), await claimsOf(owner)]).toEqual([[], 1, 1]);
  expect(await deployments.received()).toHaveLength(1);
  await tickOnce(source?.id ?? "");
  const idsOf = async (header: string) =>
    new Set((await callback.messages()).map(({ headers }) => headers[header]));
  const callbacks = () => idsOf("x-mcp-subscription-id");
  await expect.poll(async () => (await callbacks()).size, { timeout: 30_000 }).toBe(100);
  const polls = (await upstream.received()).map(({ body }) => JSON.parse(body));
  expect(polls).toEqual([["sk_ada", 1]]);
  expect((await idsOf("webhook-id")).size).toBe(1);
  expect(await callback.messages()).toHaveLength(100);
});
