import { env, exports } from "cloudflare:workers";
import { expect, test } from "vitest";

import { newCaller, ok } from "../support/api.ts";
import { operator, ORIGIN, workspaceOf } from "../support/client.ts";
import { v1Operations } from "../support/operations.ts";

const CODE = `export default { key: "round-trips", name: "N", version: "1.0.0", run() {} }`;

/** A user with one resource of each kind, and the paths of all. */
async function owner() {
  const caller = await newCaller();
  const workspace = await workspaceOf(caller);
  const { data: source } = ok(await caller.api.createSource({ body: { component_code: CODE } }));
  const url = "http://127.0.0.1:9/hook";
  const { data: webhook } = ok(await caller.api.createWebhook({ body: { url } }));
  await operator.post("/registry", { component_code: CODE });
  const step = { name: "one", component_code: "export default () => 1" };
  const { data: workflow } = ok(
    await caller.api.createOwnWorkflow({ body: { name: "Flow", steps: [step] } }),
  );
  const ids: Record<string, string> = {
    "/components/registry/{key}": "round-trips",
    "/components/{key}": source.component_id,
    "/sources/{id}": source.id,
    "/webhooks/{id}": webhook.id,
    "/workflows/{id}": workflow.id,
    "/workspaces/{id}": workspace,
    "/orgs/{id}": workspace,
  };
  const pathOf = (template: string) => {
    const [start = "", id = "none_there"] =
      Object.entries(ids).find(([prefix]) => template.startsWith(prefix)) ?? [];
    return template
      .replace(start, start.replace(/\{\w+\}/, id))
      .replace("{version}", "1")
      .replaceAll(/\{\w+\}/g, "none");
  };
  return { ...caller, workspace, pathOf };
}

/**
 * A search queries the indexed words before the components that have them; a stream of everything queries sources and
 * workflows once in half an hour.
 */
const MORE = new Map([
  ["/components/search 200", "3"],
  ["/users/me/sse 200", "4"],
]);

test("no read sends more than two queries to the database, including the key's", async () => {
  const { key, workspace, pathOf } = await owner();
  const reads = v1Operations.filter(({ method }) => method === "GET");
  const counts: Record<string, string | null> = {};
  for (const { path } of reads) {
    const query = new URLSearchParams({
      query: "n",
      workspace_id: workspace,
      from: "1",
      to: "1",
    }).toString();
    const response = await exports.default.fetch(`${ORIGIN}/v1${pathOf(path)}?${query}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    await response.body?.cancel();
    counts[`${path} ${response.status}`] = response.headers.get("server-timing");
  }
  expect(Object.keys(counts)).toEqual(
    expect.arrayContaining([
      "/users/me 200",
      "/sources/{id}/sse 200",
      "/webhooks/{id} 200",
      "/workflows/{id}/versions 200",
      "/workflows/{id}/versions/{version} 200",
      "/workflows/{id}/diff 200",
    ]),
  );
  for (const [read, timing] of Object.entries(counts))
    expect([read, timing]).toEqual([
      read,
      expect.stringMatching(`^d1;desc="${MORE.get(read) ?? "[12]"}"$`),
    ]);
});

test("queries are counted per request", async () => {
  const { user, api } = await newCaller();
  // The first request of an hour with a key also records that use, in the background.
  await env.DB.prepare("UPDATE api_keys SET last_used_at = unixepoch() WHERE user_id = ?")
    .bind(user.id)
    .run();
  const [profile, nothing] = [await api.getCurrentUser(), await api.getSource({ id: "nonsense" })];
  expect(profile.headers.get("server-timing")).toBe(`d1;desc="2"`);
  expect(nothing.headers.get("server-timing")).toBe(`d1;desc="1"`);
});
