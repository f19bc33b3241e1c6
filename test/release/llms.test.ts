import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

import { type RunningPlatform, startPlatform } from "../../tools/scripts/platform.ts";
import { serve } from "../support/serve.ts";

let stateDir: string;
let platform: RunningPlatform;

beforeAll(async () => {
  stateDir = await mkdtemp(join(tmpdir(), "llms-"));
  platform = await startPlatform({ stateDir, variables: { SANDBOXES: "1" } });
});

afterAll(async () => {
  await platform.stop();
  await rm(stateDir, { recursive: true, force: true });
});

/** The links of a list of pages, by their titles. */
function linksIn(list: string): Map<string, { path: string; about: string }> {
  const links = list.matchAll(/^- \[([^\]]+)\]\(([^)\s]+)\): (.*)$/gm);
  return new Map(
    [...links].map(([, title = "", path = "", about = ""]) => [title, { path, about }]),
  );
}

/** The operations in a text: those that it names, and those that its commands call. */
function operationsIn(page: string): string[] {
  const plain = page.replaceAll("$URL", "");
  const named = [...plain.matchAll(/`((?:GET|POST|PUT|DELETE) \/v1[^`?\s]*)/g)];
  const called = [...plain.matchAll(/curl (\/v1\S*)[^`]*?-d /g)];
  return [
    ...named.map(([, operation = ""]) => operation),
    ...called.map(([, path]) => `POST ${path}`),
  ];
}

/** An agent that knows the address of a platform, a key, and the texts that it has read there. */
function newAgent({ url, apiKey }: RunningPlatform) {
  const { origin } = new URL(url);
  const known = { text: "", operations: new Set<string>(), calls: 0 };
  const request = (method: string, path: string, body?: object) => {
    known.calls += 1;
    return fetch(`${origin}${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
  };
  return {
    known,
    read: async (path: string): Promise<string> => {
      const response = await request("GET", path);
      expect([path, response.status]).toEqual([path, 200]);
      const page = await response.text();
      known.text += page;
      for (const operation of operationsIn(page)) known.operations.add(operation);
      return page;
    },
    /** Call an operation that a text named, with fields that it named. */
    call: async (operation: string, path: string, body?: object) => {
      expect([...known.operations]).toContain(operation);
      for (const field of Object.keys(body ?? {})) expect(known.text).toContain(`"${field}"`);
      const [method = ""] = operation.split(" ");
      const response = await request(method, path, body);
      return { status: response.status, ...JSON.parse((await response.text()) || "{}") };
    },
  };
}

test("an agent that starts from /llms.txt writes, tests and deploys a source in 12 calls", async () => {
  const orders = [1, 2].map((id) => ({ id, createdAt: "2026-11-01T10:00:00Z" }));
  const received: string[] = [];
  const shop = await serve(async (request, response) => {
    if (request.method === "POST") received.push(await text(request));
    response.end(JSON.stringify(orders));
  });
  onTestFinished(shop.close);
  const { known, read, call } = newAgent(platform);

  const links = [...linksIn(await read("/llms.txt")).values()];
  const skill = links.find(({ about }) => /coding agent.*source/.test(about));
  const page = await read(skill?.path ?? "");
  const [, component_code = ""] = /```js\n([^]*?)```/.exec(page) ?? [];

  const found = await call("GET /v1/components/search", "/v1/components/search?query=new%20order");
  expect(found.status).toBe(200);
  const source = { component_code, name: "orders", configured_props: { url: shop.origin } };
  const broken = component_code.replace("async run() {", "async run( {");
  const refused = await call("POST /v1/sources", "/v1/sources", {
    ...source,
    component_code: broken,
  });
  expect([refused.status, refused.error]).toEqual([422, expect.stringMatching(/\.js:\d+:\d+: /)]);
  const deployed = await call("POST /v1/sources", "/v1/sources", source);
  expect([deployed.status, deployed.error]).toEqual([200, undefined]);
  const { id } = deployed.data;

  const run = () => call("POST /v1/sources/{id}/run", `/v1/sources/${id}/run`, { wait: 30 });
  expect((await run()).data).toMatchObject({ state: "finished", errors: [] });
  const summaries = "GET /v1/sources/{id}/event_summaries";
  const events = await call(summaries, `/v1/sources/${id}/event_summaries?limit=10&expand=event`);
  expect(events.data.map(({ event }: { event: { id: number } }) => event.id)).toEqual([2, 1]);

  const hook = await call("POST /v1/webhooks", "/v1/webhooks", { url: `${shop.origin}/hook` });
  const subscription = { emitter_id: id, listener_id: hook.data.id };
  const subscribed = await call("POST /v1/subscriptions", "/v1/subscriptions", subscription);
  expect(subscribed.status).toBe(200);
  orders.push({ id: 3, createdAt: "2026-11-01T11:00:00Z" });
  expect((await run()).data).toMatchObject({ state: "finished", errors: [] });
  await expect.poll(() => received).toEqual([expect.stringContaining('"id":3')]);
  const paused = await call("PUT /v1/sources/{id}", `/v1/sources/${id}`, { active: false });
  expect(paused.data.active).toBe(false);
  expect(known.calls).toBeLessThanOrEqual(12);
});

test("every link of /llms.txt, and of the skill, leads to a document on the same platform", async () => {
  const { read } = newAgent(platform);
  const links = linksIn(await read("/llms.txt"));
  expect(links.size).toBeGreaterThan(15);
  for (const [title, { path }] of links) {
    const document = await read(path);
    const isWhole = path.endsWith(".md") ? /^# /m.test(document) : document.startsWith("{");
    expect([title, isWhole]).toEqual([title, true]);
  }
  const skill = await read(links.get("Skill for coding agents")?.path ?? "");
  const more = [...skill.matchAll(/\$URL(\/(?:docs\/|llms|v1\/openapi)[^`\s]*)/g)];
  expect(more.length).toBeGreaterThan(3);
  for (const [, path = ""] of more) await read(path);
});
