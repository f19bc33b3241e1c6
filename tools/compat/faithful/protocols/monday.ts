import { randomUUID } from "node:crypto";

import { type Fake, json, jsonOf, routes } from "../fake.ts";
import type { Scenario } from "../scenario.ts";
import type { Stage } from "../stage.ts";

type Variables = { url?: string; id?: number | string; event?: string };
type Query = { query: string; variables?: Variables };
type Board = { items: { id: string; name: string }[]; webhooks: Map<string, string> };

const JSON_TYPE = { "content-type": "application/json" };

/** monday's GraphQL: the words in a query show its purpose. */
function workspace(board: Board): Fake {
  return routes({
    "POST api.monday.com/v2": async (request) => {
      if (!request.headers["authorization"]) return json({ errors: ["Not Authenticated"] }, 401);
      const { query, variables = {} } = jsonOf<Query>(request);
      const respond = RESPONDERS.find(([word]) => query.includes(word))?.[1] ?? itemsOf;
      try {
        return json({ data: await respond(board, variables, query), account_id: 1 });
      } catch (error) {
        return json({ data: null, errors: [{ message: String(error) }] });
      }
    },
  });
}

type Handler = (board: Board, variables: Variables, query: string) => unknown;

const RESPONDERS: [string, Handler][] = [
  ["create_webhook", createWebhook],
  [
    "delete_webhook",
    ({ webhooks }, { id }) => ({ delete_webhook: webhooks.delete(String(id)) ? { id } : null }),
  ],
  ["items_page", ({ items }) => ({ boards: [{ items_page: { cursor: null, items } }] })],
  ["items", itemsOf],
  ["boards", () => ({ boards: [{ id: "5", name: "Board", type: "board" }] })],
];

/** monday posts a challenge to the URL during `create_webhook`, and expects the same JSON back. */
async function createWebhook(
  { webhooks }: Board,
  { url = "", event }: Variables,
  query: string,
): Promise<unknown> {
  const challenge = JSON.stringify({ challenge: randomUUID() });
  const response = await fetch(url, { method: "POST", headers: JSON_TYPE, body: challenge });
  const text = await response.text();
  if (text !== challenge) throw new Error(`The challenge came back as ${response.status} ${text}`);
  webhooks.set("77", event ?? /event:\s*(\w+)/.exec(query)?.[1] ?? "");
  return { create_webhook: { id: "77" } };
}

function itemsOf({ items }: Board, { id }: Variables): unknown {
  const found = items.filter((item) => item.id === String(id));
  return {
    items: found.map((item) => ({
      ...item,
      created_at: "2025-01-01T00:00:00Z",
      updated_at: "2025-01-02T03:04:05Z",
      column_values: [],
    })),
  };
}

async function nameUpdated(stage: Stage): Promise<void> {
  const second = { id: "12", name: "Second" };
  const board: Board = { items: [{ id: "11", name: "First" }, second], webhooks: new Map() };
  stage.serve(workspace(board));
  const boards = await stage.choices("boardId");
  stage.equal("the boards", boards.map(String), ["5"]);
  await stage.deploy({ boardId: boards[0] });
  stage.equal("the webhooks", [...board.webhooks.values()], ["change_name"]);
  const past = await stage.emitted<{ item: { name: string } }>(2);
  const names = past.map(({ item }) => item.name);
  stage.equal("the history", names.toSorted(), ["First", "Second"]);
  second.name = "Renamed";
  // Another time than the item's own: a component may use either for the event's id.
  const event = { pulseId: 12, boardId: 5, type: "update_name", changedAt: 1_735_786_800 };
  await stage.push({ body: JSON.stringify({ event }), headers: JSON_TYPE });
  const all = await stage.emitted<{ item: { name: string } }>(3);
  stage.equal("the event", all.at(-1)?.item.name, "Renamed");
  await stage.stop();
  stage.equal("remaining webhooks", board.webhooks.size, 0);
}

export const MONDAY: Scenario[] = ["monday_like", "monday"].map((app) => ({
  protocol: "monday challenge",
  component: `components/${app}/sources/name-updated/name-updated.mjs`,
  credentials: { api_key: "monday-1" },
  follows: "monday-name-updated 0.0.8, September 2025",
  play: nameUpdated,
}));
