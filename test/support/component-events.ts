import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";

import { endAgentSources } from "#services/agents/shared-sources/end.ts";
import { endAgentSubscriptions } from "#services/agents/subscriptions/sweep.ts";

import { request, type signUp } from "./client.ts";
import type { agentOf } from "./mcp.ts";
import { runsCommitted } from "./source-tables.ts";
import { subscriber } from "./subscriptions.ts";
import { platformIn } from "./sweeping.ts";
import { newCallback } from "./webhook.ts";

type User = Awaited<ReturnType<typeof signUp>>;

const DEFAULTS = {
  props: "",
  hooks: "",
  more: "",
  name: "Orders",
  run: "for (const event of body) this.$emit(event);",
};

/** Save a source of a user's that emits its events, unless `run` has other statements. Returns its key, by which it is an event type. */
export async function savedSource(
  ada: Pick<User, "post">,
  component: Partial<typeof DEFAULTS> = {},
): Promise<string> {
  const { props, hooks, more, name, run } = { ...DEFAULTS, ...component };
  const key = `orders-${crypto.randomUUID().slice(0, 8)}`;
  const component_code = `export default {
    key: "${key}", name: "${name}", description: "New orders", version: "0.1.0", type: "source", ${more}
    props: { http: "$.interface.http", ${props} },
    hooks: { ${hooks} },
    async run({ body }) { ${run} },
  };`;
  const { status, body } = await ada.post("/components", { component_code });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return key;
}

type Listed = {
  name: string;
  description: string;
  delivery: string[];
  inputSchema: { [key: string]: unknown; properties: Record<string, object> };
  payloadSchema: { [key: string]: unknown };
};

/** All event types that an agent sees, by name. */
export async function eventTypesOf(
  agent: ReturnType<typeof agentOf>,
): Promise<Map<string, Listed>> {
  const found = new Map<string, Listed>();
  let cursor: string | undefined;
  do {
    const { result } = (await agent.send("events/list", { cursor })).body;
    for (const type of result.events) found.set(type.name, type);
    cursor = result.nextCursor;
  } while (cursor !== undefined);
  return found;
}

/** A source that was deployed for agents. */
export type AgentSource = { id: string; emit: (...events: unknown[]) => Promise<unknown> };

/** The sources of an owner that were deployed for agents, oldest first. */
export async function agentSourcesOf(owner: string): Promise<AgentSource[]> {
  const { results } = await env.DB.prepare(
    `SELECT s.id, s.endpoints FROM agent_sources a JOIN sources s ON s.id = a.source_id
     WHERE a.owner_id = ? AND s.state = 'live' ORDER BY s.seq`,
  )
    .bind(owner)
    .all<{ id: string; endpoints: string }>();
  return results.map(({ id, endpoints }) => ({
    id,
    emit: async (...events: unknown[]) => {
      const { http } = JSON.parse(endpoints) as { http: string };
      const response = await request("POST", `/e/${http}`, { body: events });
      await runsCommitted(id);
      return response;
    },
  }));
}

/** The number of an owner's rows of agents' sources, in any state. */
export async function claimsOf(owner: string): Promise<number> {
  const count = await env.DB.prepare("SELECT count(*) AS n FROM agent_sources WHERE owner_id = ?")
    .bind(owner)
    .first<number>("n");
  return count ?? 0;
}

/** The number of an owner's sources, in any state. */
export async function sourcesOf(owner: string): Promise<number> {
  const count = await env.DB.prepare("SELECT count(*) AS n FROM sources WHERE owner_id = ?")
    .bind(owner)
    .first<number>("n");
  return count ?? 0;
}

/** Sweep subscriptions and sources of agents as they will be in some seconds. */
export async function sweptIn(seconds: number): Promise<void> {
  const names = "('agent_sources', 'agent_subscriptions')";
  await env.DB.prepare(`DELETE FROM walks WHERE name IN ${names}`).run();
  await endAgentSubscriptions(platformIn(seconds));
  await endAgentSources(platformIn(seconds));
}

/** Subscribe an agent to a component, by a callback of its own. */
export async function subscribing(
  agent: ReturnType<typeof agentOf>,
  key: string,
  given: object = {},
) {
  const callback = await newCallback();
  const own = subscriber(agent, key, callback);
  return { callback, ...own, answer: await own.subscribe({ arguments: given }) };
}

/** Make the timers of a source due, and let it run once. */
export async function tickOnce(source: string): Promise<void> {
  const stub = env.SOURCES.getByName(source);
  await runInDurableObject(stub, (_, { storage }) => {
    const timers = storage.kv.get<Record<string, { dueMs: number }>>("timers") ?? {};
    for (const timer of Object.values(timers)) timer.dueMs = Date.now();
    storage.kv.put("timers", timers);
  });
  await runDurableObjectAlarm(stub);
}

/** The owner of a connected account. */
export async function ownerOfAccount(account: string): Promise<string> {
  const statement = env.DB.prepare("SELECT owner_id FROM accounts WHERE id = ?").bind(account);
  return (await statement.first<string>("owner_id")) ?? "";
}
