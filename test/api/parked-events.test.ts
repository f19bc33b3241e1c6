import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { HOPS_HEADER } from "#domain/deliveries.ts";
import type { Id } from "#domain/ids.ts";

import { operator, signUp, workspaceOf } from "../support/client.ts";
import { send } from "../support/deploy.ts";

const EMITS = `export default { name: "Emits", version: "1", props: { http: "$.interface.http" },
  run({ body }) { this.$emit(body) } }`;
const LISTENS = `export default { name: "Listens", version: "1", run() {} }`;

type Client = Awaited<ReturnType<typeof signUp>>;

/** Two sources of an owner: the first emits an event that the second parks. */
async function parking(client: Client, owner: { org_id?: string } = {}) {
  const deploy = async (code: string) =>
    (await client.post("/sources", { component_code: code, ...owner })).body.data;
  const [emitter, listener] = [await deploy(EMITS), await deploy(LISTENS)];
  await client.post("/subscriptions", {
    emitter_id: emitter.id,
    listener_id: listener.id,
    ...owner,
  });
  await send(emitter.configured_props["http"]?.endpoint_url, {
    method: "POST",
    body: `{"private":"words"}`,
    headers: { "content-type": "application/json", [HOPS_HEADER]: "15" },
  });
  return { id: listener.id as Id<"source"> };
}

test("a parked event is listed for its owner and for operators", async () => {
  const [ada, eve] = [await signUp(), await signUp()];
  const { id } = await parking(ada);
  const listed = async () => (await ada.get("/parked_events")).body.data;
  await expect.poll(listed).toMatchObject([
    {
      source_id: id,
      source_name: "listens",
      owner_id: ada.user.id,
      code: "TooManyHops",
      message: "Event dropped: hop limit (16) reached, possible loop",
    },
  ]);
  expect((await eve.get("/parked_events")).body.data).toEqual([]);
  const all = await operator.get("/parked_events");
  expect(all.body.data).toContainEqual(expect.objectContaining({ source_id: id }));
  // Only its owner sees the event.
  expect(JSON.stringify(all.body)).not.toContain("words");
  const errors = await ada.get(`/sources/${id}/$errors/event_summaries`);
  expect(errors.body.data[0].event.original_event).toEqual({ private: "words" });
});

test("a parked event raises one alert, and the overview has the next step", async () => {
  const ada = await signUp();
  const { id } = await parking(ada);
  const stub = env.SOURCES.getByName(id);
  const alerts = async () => (await ada.get(`/sources/${id}/$alerts/event_summaries`)).body.data;
  await expect.poll(alerts).toMatchObject([{ event: { kind: "event_parked", recovered: false } }]);
  await runDurableObjectAlarm(stub);
  const attention = async () => (await ada.get("/overview")).body.data.attention;
  await expect
    .poll(attention)
    .toMatchObject([
      { kind: "parked_event", resource_id: id, next: { action: "read_errors" }, severity: "error" },
    ]);
  // A successful run right after it does not end the alert: a loop would open it again and again.
  expect((await ada.post(`/sources/${id}/run`, { event: {} })).status).toBe(200);
  expect(await alerts()).toHaveLength(1);
});

test("parked events of a workspace are its members'", async () => {
  const [ada, bob, eve] = [await signUp(), await signUp(), await signUp()];
  const workspace = await workspaceOf(ada, bob);
  const { id } = await parking(ada, { org_id: workspace });
  const listed = async () => (await bob.get(`/parked_events?org_id=${workspace}`)).body.data;
  await expect.poll(listed).toMatchObject([{ source_id: id, owner_id: workspace }]);
  expect((await eve.get(`/parked_events?org_id=${workspace}`)).status).toBe(404);
});
