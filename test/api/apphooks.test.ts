// @suites release

import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { newToken } from "#domain/ids.ts";
import type { Json } from "#domain/json.ts";

import { newAccount } from "../support/accounts.ts";
import { operator, signUp } from "../support/client.ts";

type Client = Awaited<ReturnType<typeof signUp>>;

/** A source that emits each of its provider's events with its account's values. */
const codeOf = (apphook: string): string => `
  const chat = { type: "app", app: "chat", methods: { team() { return this.$auth.team; } } };
  export default {
    name: "hooked", version: "0.0.1",
    props: {
      chat,
      channels: { type: "string[]", optional: true },
      apphook: { type: "$.interface.apphook", appProp: "chat", ${apphook} },
    },
    methods: { channelNames() { return this.channels.map((name) => "message:" + name); } },
    run(event) { this.$emit({ event, team: this.chat.team() }); },
  };`;

async function hooked(
  client: Client,
  account: string,
  apphook: string,
  props: Record<string, Json> = {},
) {
  const { status, body } = await client.post("/sources", {
    component_code: codeOf(apphook),
    configured_props: { chat: { authProvisionId: account }, ...props },
  });
  if (status !== 200) throw new Error(JSON.stringify(body));
  const { id } = body.data;
  const events = async () => {
    const { body: page } = await client.get(`/sources/${id}/event_summaries?expand=event`);
    return page.data.map(({ event }: { event: Json }) => event).toReversed();
  };
  return { id: id as string, events };
}

const chatAccount = (ownerId: string, team: string) =>
  newAccount(ownerId, { app: "chat", external_id: team, credentials: { team } });

const post = async (given: Record<string, Json>) => {
  const { status, body } = await operator.post("/apphooks/chat", {
    event_name: "message",
    ...given,
  });
  return { status, ...body.data };
};

test("a provider's event wakes its subscribed sources, and is passed unchanged", async () => {
  const ada = await signUp();
  const account = await chatAccount(ada.user.id, "T1");
  const [byList, byStatic, byFunction, byAnything, byOther] = await Promise.all([
    hooked(ada, account, `eventNames: ["message", "reaction"]`),
    hooked(ada, account, `static: ["message"]`),
    hooked(
      ada,
      account,
      `async eventNames() { return this.channels ? this.channelNames() : [this.chat.team()]; }`,
      { channels: ["C1", "C2"] },
    ),
    hooked(ada, account, ""),
    hooked(ada, account, `eventNames: ["reaction"]`),
  ]);
  const event = { type: "message", channel: "C2", nested: [1, null] };
  expect(
    await post({ account_id: account, event_name: ["message", "message:C2"], event }),
  ).toMatchObject({ status: 200, state: "delivered", sources: 4, event_id: expect.any(String) });
  for (const source of [byList, byStatic, byFunction, byAnything])
    await expect.poll(source.events).toEqual([{ event, team: "T1" }]);
  expect(await byOther.events()).toEqual([]);
});

test("an event wakes the sources of all accounts with its external id, of every owner, and no others", async () => {
  const [ada, bob] = [await signUp(), await signUp()];
  const team = `T_${newToken()}`;
  const [hers, his, other] = await Promise.all([
    hooked(ada, await chatAccount(ada.user.id, team), ""),
    hooked(bob, await chatAccount(bob.user.id, team), ""),
    hooked(bob, await chatAccount(bob.user.id, "T_other"), ""),
  ]);
  expect(await post({ external_id: team, event: 1 })).toMatchObject({ sources: 2 });
  for (const source of [hers, his]) await expect.poll(source.events).toEqual([{ event: 1, team }]);
  expect(await other.events()).toEqual([]);
  expect(await post({ external_id: "T_unknown", event: 1 })).toMatchObject({
    status: 200,
    state: "delivered",
    sources: 0,
  });
});

test("an event that is posted twice under one id runs once", async () => {
  const ada = await signUp();
  const account = await chatAccount(ada.user.id, "T1");
  const source = await hooked(ada, account, "");
  const [one, two] = [newToken(), newToken()];
  const twice = { account_id: account, event: "a", event_id: one };
  const [first, second] = [await post(twice), await post({ ...twice, event: "b" })];
  expect(first).toEqual({ status: 200, event_id: one, state: "delivered", sources: 1 });
  expect(second).toEqual(first);
  await post({ account_id: account, event: "c", event_id: two });
  await expect.poll(source.events).toEqual([
    { event: "a", team: "T1" },
    { event: "c", team: "T1" },
  ]);
});

test("a source is woken for its current subscriptions, and not while it changes, is inactive or deleted", async () => {
  const ada = await signUp();
  const account = await chatAccount(ada.user.id, "T1");
  const other = await chatAccount(ada.user.id, "T2");
  const source = await hooked(ada, account, `eventNames: ["message"]`);
  const path = `/sources/${source.id}`;
  const sources = async (account_id: string, event_name: string) =>
    (await post({ account_id, event_name, event: 1 })).sources;
  expect(await sources(account, "message")).toBe(1);

  await ada.put(path, { component_code: codeOf(`eventNames: ["reaction"]`) });
  expect(await sources(account, "message")).toBe(0);
  expect(await sources(account, "reaction")).toBe(1);
  await ada.put(path, { configured_props: { chat: { authProvisionId: other } } });
  expect(await sources(account, "reaction")).toBe(0);
  expect(await sources(other, "reaction")).toBe(1);
  await expect.poll(source.events).toHaveLength(3);
  await ada.put(path, { active: false });
  await sources(other, "reaction");
  expect(await source.events()).toHaveLength(3);
  await ada.delete(path);
  expect(await sources(other, "reaction")).toBe(0);
  const rows = await env.DB.prepare("SELECT * FROM apphooks WHERE source_id = ?")
    .bind(source.id)
    .all();
  expect(rows.results).toEqual([]);
});

/** Sources that the directory lists and that hold nothing: they accept events and ignore them. */
async function listed(ownerId: string, account: string, count: number): Promise<void> {
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
     INSERT INTO sources (id, owner_id, user_id, component_id, name, name_slug, active, state, shown_props, endpoints, apphooks, created_at, updated_at)
     SELECT 'dc_' || hex(randomblob(12)), ?2, ?2, 'sc_1', 'a', 'a-' || i, 1, 'live', '{}', '{}', json_object(?3, json_array()), 1, 1 FROM n`,
  )
    .bind(count, ownerId, account)
    .run();
}

test("reaches many sources in several turns", async () => {
  const ada = await signUp();
  const account = await chatAccount(ada.user.id, "T1");
  const source = await hooked(ada, account, "");
  await listed(ada.user.id, account, 649);
  const event = { account_id: account, event: "many", event_id: newToken() };
  const { state, sources } = await post(event);
  expect(state).toBe("pending");
  // A slow machine does not finish the first turn in time.
  expect(sources).toBeLessThanOrEqual(500);
  await expect.poll(() => post(event)).toMatchObject({ state: "delivered", sources: 650 });
  await expect.poll(source.events).toEqual([{ event: "many", team: "T1" }]);
});

test("an interrupted fan-out resumes, and no source runs its event twice", async () => {
  const ada = await signUp();
  const account = await chatAccount(ada.user.id, "T1");
  const [one, two] = [await hooked(ada, account, ""), await hooked(ada, account, "")];
  const event_id = newToken();
  await post({ account_id: account, event: "once", event_id });
  await expect.poll(one.events).toHaveLength(1);
  await expect.poll(two.events).toHaveLength(1);

  const stub = env.APPHOOKS.getByName(`chat:${event_id}`);
  // As if the process had crashed before it stored its progress, with a source left over.
  await runInDurableObject(stub, async (_, { storage }) => {
    const receivedAtMs = ((await storage.getAlarm()) ?? 0) - 3 * 24 * 3600 * 1000;
    const names = ["message"];
    const event = { app: "chat", accountId: account, externalId: null, names, payload: '"once"' };
    storage.kv.put("event", { event, receivedAtMs });
    storage.kv.put("way", { after: "", late: [one.id], sources: 0, failures: 1 });
  });
  expect(await runDurableObjectAlarm(stub)).toBe(true);
  expect(await post({ account_id: account, event: "once", event_id })).toMatchObject({
    state: "delivered",
    sources: 3,
  });
  expect([await one.events(), await two.events()]).toMatchObject([
    [{ event: "once" }],
    [{ event: "once" }],
  ]);
  expect(await runDurableObjectAlarm(stub)).toBe(true);
  const left = await runInDurableObject(stub, (_, { storage }) => [...storage.kv.list()]);
  expect(left).toEqual([]);
});

test.for([
  [{ event: 1 }, "account_id: it or external_id is required"],
  [{ external_id: "T1" }, "event: is required"],
  [{ external_id: "T1", event: 1, event_name: null }, "event_name:"],
  [{ external_id: "T1", event: 1, event_name: [] }, "event_name:"],
  [{ account_id: "dc_1", event: 1 }, "account_id: must be the id of a account"],
  [{ external_id: "T1", event: "x".repeat(512 * 1024) }, "event: must be at most 512 KB"],
] as const)("rejects event %# of a provider", async ([given, message]) => {
  const answer = await operator.post("/apphooks/chat", { event_name: "message", ...given });
  expect(answer).toMatchObject({
    status: 400,
    body: { error: expect.stringContaining(message), code: "invalid_input" },
  });
});

test("rejects an event of one app for an account of another", async () => {
  const ada = await signUp();
  const account = await newAccount(ada.user.id);
  const answer = await operator.post("/apphooks/chat", {
    account_id: account,
    event_name: "message",
    event: 1,
  });
  expect(answer).toMatchObject({
    status: 400,
    body: { error: "account_id: must be an account for chat, not for github" },
  });
});

test.for([
  ["eventNames() { throw new Error('no channel'); }", "no channel"],
  ["eventNames() { return 'message'; }", "eventNames of apphook must give an array of strings"],
])(
  "rejects a source with %s, but answers a form's request for its props",
  async ([apphook = "", message]) => {
    const ada = await signUp();
    const chat = { authProvisionId: await chatAccount(ada.user.id, "T1") };
    const configured_props = { chat };
    const component_code = codeOf(apphook);
    expect(await ada.post("/sources", { component_code, configured_props })).toMatchObject({
      status: 422,
      body: { error: expect.stringContaining(message ?? "") },
    });
    const { body } = await ada.post("/components", { component_code });
    const form = await ada.post(`/components/${body.data.id}/props`, { configured_props });
    expect(form.status).toBe(200);
  },
);
