import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";

import { readComponent } from "../../packages/cli/src/component/files.ts";
import type { RunningPlatform } from "../../tools/scripts/platform.ts";
import { type CliPlace, type CliSource, jsonOf, openPlace, post } from "../support/cli.ts";

const EXAMPLES = join(import.meta.dirname, "../../examples");

type Received = { method: string; url: string; authorization: string; body: string };

type Endpoint = { trigger: { endpoint_url: string } };

let platform: RunningPlatform;
let place: CliPlace;
let close: () => Promise<void>;
let provider: Server;
let providerUrl: string;
const received: Received[] = [];

beforeAll(async () => {
  ({ platform, place, close } = await openPlace());
  provider = createServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    received.push({
      method,
      url,
      authorization: headers.authorization ?? "",
      body: await textOf(request),
    });
    const [path = ""] = url.split("?");
    response.end(JSON.stringify(ANSWERS[path] ?? {}));
  });
  provider.listen(0, "127.0.0.1");
  await once(provider, "listening");
  const address = provider.address();
  providerUrl = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
});

afterAll(async () => {
  provider.close();
  provider.closeAllConnections();
  await close();
});

/** The provider's responses, by path. */
const ANSWERS: Record<string, unknown> = {
  "/issues": [
    { id: 1, title: "It is slow", updated_at: "2026-01-01T00:00:00Z" },
    { id: 2, title: "It is late", updated_at: "2026-01-02T00:00:00Z" },
  ],
  "/queues": ["first"],
  "/tickets": [{ id: "t1", subject: "Help" }],
  "/hooks": { id: "hook_1" },
};

test("polling emits each issue once, and requests newer ones", async () => {
  const { id } = await deployed("polling.ts", { url: `${providerUrl}/issues` });
  await expect.poll(() => summariesOf(id)).toEqual(["It is late", "It is slow"]);
  await api("POST", `/sources/${id}/run`, { wait: 20 });
  const polls = received.filter(({ url }) => url.startsWith("/issues"));
  expect(polls.map(({ url }) => url)).toEqual([
    "/issues",
    "/issues?since=2026-01-02T00%3A00%3A00Z",
  ]);
  expect(await summariesOf(id)).toHaveLength(2);
});

test("an app prop has its account's credentials", async () => {
  const credentials = { base_url: providerUrl, oauth_access_token: "token_1" };
  const account = await api("POST", "/accounts", { app: "helpdesk", name: "Ada", credentials });
  const { id } = await deployed("oauth-app.ts", { helpdesk: account.id, queue: "first" });
  await expect.poll(() => summariesOf(id)).toEqual(["Help"]);
  expect(received).toContainEqual(
    expect.objectContaining({ url: "/tickets?queue=first", authorization: "Bearer token_1" }),
  );
});

test("a webhook source registers its webhook, checks signatures, and deletes the webhook", async () => {
  const source = await deployed("signed-webhook.ts", {
    hooksUrl: `${providerUrl}/hooks`,
    secret: "whsec",
  });
  const endpoint = endpointOf(source);
  expect(received).toContainEqual(
    expect.objectContaining({
      method: "POST",
      url: "/hooks",
      body: JSON.stringify({ url: endpoint, secret: "whsec" }),
    }),
  );
  const body = JSON.stringify({ id: "evt_1", type: "order.paid" });
  const signature = createHmac("sha256", "whsec").update(body).digest("hex");
  const send = (signed: string) =>
    fetch(endpoint, {
      method: "POST",
      headers: { "content-type": "application/json", "x-signature": signed },
      body,
    });
  expect((await send("forged")).status).toBe(401);
  expect((await send(signature)).status).toBe(204);
  await expect.poll(() => summariesOf(source.id)).toEqual(["order.paid"]);
  await jsonOf(place, "delete", source.id);
  expect(received).toContainEqual(
    expect.objectContaining({ method: "DELETE", url: "/hooks/hook_1" }),
  );
});

test("a custom response echoes challenges and numbers events", async () => {
  const source = await deployed("custom-response.ts", {});
  const endpoint = endpointOf(source);
  expect(await (await fetch(`${endpoint}?challenge=abc`)).text()).toBe("abc");
  const response = await post(endpoint, { a: 1 });
  expect([response.status, await response.json()]).toEqual([202, { number: 1 }]);
  await expect.poll(() => summariesOf(source.id)).toEqual(["Number 1"]);
});

test("an action runs as a step of a workflow", async () => {
  const action = join(EXAMPLES, "workflow-action.ts");

  const { files, entry } = await readComponent(action);
  await api("POST", "/components", { component_files: files, entry });
  const file = join(EXAMPLES, "workflow.json");
  const [workflow] = await jsonOf<Endpoint[]>(place, "workflows", "deploy", file);
  const items = [{ price: 2, quantity: 3 }, { price: 4 }];
  const response = await post(workflow?.trigger.endpoint_url ?? "", { items });
  expect([response.status, await response.json()]).toEqual([200, { total: 10, currency: "EUR" }]);
});

test("sources share a data store", async () => {
  const store = await api("POST", "/data_stores", { name: "counts" });
  const [one, other] = [
    await deployed("data-store.ts", { counts: store.id }),
    await deployed("data-store.ts", { counts: store.id }),
  ];
  await post(endpointOf(one), { customer: "Ada" });
  await expect.poll(() => summariesOf(one.id)).toEqual(["Order 1 of Ada"]);
  await post(endpointOf(other), { customer: "Ada" });
  await expect.poll(() => summariesOf(other.id)).toEqual(["Order 2 of Ada"]);
});

function deployed(file: string, props: Record<string, string>): Promise<CliSource> {
  const given = Object.entries(props).flatMap(([name, value]) => ["-p", `${name}=${value}`]);
  return jsonOf<CliSource>(place, "deploy", join(EXAMPLES, file), ...given);
}

function endpointOf({ configured_props: props }: CliSource): string {
  return props["http"]?.endpoint_url ?? "";
}

async function summariesOf(id: string): Promise<string[]> {
  const events = await api("GET", `/sources/${id}/event_summaries?event_name=`);
  return events.map(({ metadata }: { metadata: { summary: string } }) => metadata.summary);
}

async function api(method: string, path: string, body?: unknown) {
  const response = await fetch(platform.url + path, {
    method,
    headers: {
      authorization: `Bearer ${platform.apiKey}`,
      "content-type": "application/json",
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status}: ${text}`);
  return JSON.parse(text).data;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}
