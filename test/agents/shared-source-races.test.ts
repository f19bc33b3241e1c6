// @suites release

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { signUp } from "../support/client.ts";
import {
  agentSourcesOf,
  claimsOf,
  savedSource,
  sourcesOf,
  subscribing,
  sweptIn,
} from "../support/component-events.ts";
import { agentOf } from "../support/mcp.ts";
import { newReceiver } from "../support/webhook.ts";

test("a source is not lost to a subscription that is made while the last other one is ended", async () => {
  const ada = await signUp();
  const key = await savedSource(ada);
  const agent = agentOf(ada.user.api_key);
  for (let round = 0; round < 8; round += 1) {
    const first = await subscribing(agent, key);
    const [second] = await Promise.all([subscribing(agent, key), first.unsubscribe()]);
    expect(second.answer.error).toBeUndefined();
    const sources = await agentSourcesOf(ada.user.id);
    expect(sources).toHaveLength(1);
    await sources[0]?.emit({ round });
    await expect.poll(second.callback.messages).toHaveLength(1);
    expect((await second.unsubscribe()).error).toBeUndefined();
    expect(await sourcesOf(ada.user.id)).toBe(0);
  }
});

test("a request that crashed before its source was deployed holds others up for seconds only", async () => {
  const ada = await signUp();
  const key = await savedSource(ada);
  const agent = agentOf(ada.user.api_key);
  await subscribing(agent, key);
  const [source] = await agentSourcesOf(ada.user.id);
  // As it is left by a request that has claimed the key and crashed.
  await env.DB.batch([
    env.DB.prepare("UPDATE sources SET state = 'deploying' WHERE id = ?").bind(source?.id),
    env.DB.prepare("DELETE FROM agent_subscriptions WHERE source_id = ?").bind(source?.id),
    env.DB.prepare(
      "UPDATE agent_sources SET claimed_at = unixepoch() - 17 WHERE source_id = ?",
    ).bind(source?.id),
  ]);
  const { answer, callback } = await subscribing(agent, key);
  expect(answer.error).toBeUndefined();
  const sources = await agentSourcesOf(ada.user.id);
  expect(sources.map(({ id }) => id)).not.toContain(source?.id);
  await sweptIn(0);
  expect([await sourcesOf(ada.user.id), await claimsOf(ada.user.id)]).toEqual([1, 1]);
  await sources[0]?.emit({ id: 1 });
  await expect.poll(callback.messages).toHaveLength(1);
});

test("a deployment that lost its key to another one is taken back, and its subscriber shares the other one", async () => {
  const ada = await signUp();
  const slow = await newReceiver({ status: 200, afterMs: 2000 });
  const key = await savedSource(ada, {
    hooks: `async deploy() { await fetch("${slow.url}", { method: "POST" }); }`,
  });
  const agent = agentOf(ada.user.api_key);
  const first = subscribing(agent, key);
  await expect.poll(() => claimsOf(ada.user.id)).toBe(1);
  await env.DB.prepare("UPDATE agent_sources SET claimed_at = 0").run();
  const answers = [(await subscribing(agent, key)).answer, (await first).answer];
  expect(answers.flatMap(({ error }) => error ?? [])).toEqual([]);
  expect([await sourcesOf(ada.user.id), await claimsOf(ada.user.id)]).toEqual([1, 1]);
  const { results } = await env.DB.prepare(
    "SELECT DISTINCT source_id AS id FROM agent_subscriptions WHERE owner_id = ?",
  )
    .bind(ada.user.id)
    .all();
  expect(results).toEqual((await agentSourcesOf(ada.user.id)).map(({ id }) => ({ id })));
});

test("agents have at most a hundred sources deployed for an owner", async () => {
  const ada = await signUp();
  const key = await savedSource(ada, { props: `size: "integer"` });
  const agent = agentOf(ada.user.api_key);
  await subscribing(agent, key, { size: 0 });
  await env.DB.batch(
    Array.from({ length: 99 }, (_, n) =>
      env.DB.prepare(
        `INSERT INTO agent_sources SELECT NULL, source_id || ?1, owner_id, project_id, key || ?1, claimed_at, polled_until, created_at
         FROM agent_sources WHERE owner_id = ?2 LIMIT 1`,
      ).bind(String(n), ada.user.id),
    ),
  );
  const { answer } = await subscribing(agent, key, { size: 1 });
  expect(answer.error).toMatchObject({ code: -32025, data: { limit: "sources", max: 100 } });
  expect((await subscribing(agent, key, { size: 0 })).answer.error).toBeUndefined();
});
