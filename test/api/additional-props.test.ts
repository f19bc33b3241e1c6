import { expect, test } from "vitest";

import { request, signUp } from "../support/client.ts";
import { runsCommitted } from "../support/source-tables.ts";

type Client = Awaited<ReturnType<typeof signUp>>;

const path = (url: string) => url.slice("http://wellspring.test".length);

async function eventsOf(ada: Client, id: string) {
  const { body } = await ada.get(`/sources/${id}/event_summaries?expand=event`);
  return body.data.map(({ event }: { event: unknown }) => event);
}

/** A source that does nothing without its additional props. */
const WAKING = `
  let calls = 0;
  const app = (name) => ({ type: "app", app: name, optional: true, methods: { hello() { return this.app + " " + typeof this.$auth; } } });
  export default {
    name: "Waking", version: "1",
    props: { by: { type: "string", reloadProps: true } },
    hooks: {
      deploy() { this.$emit({ hook: "deploy", room: this.room }); },
      activate() { this.db?.set("activated", this.room); },
    },
    async additionalProps(previous) {
      calls += 1;
      const added = { room: { type: "string", label: "Room" } };
      if (this.by === "http") Object.assign(added, { http: "$.interface.http", db: "$.service.db", crm: app("crm") });
      if (this.by === "timer") added.timer = { type: "$.interface.timer", default: { intervalSeconds: 3600 } };
      if (this.by === "before") added.room.default = Object.keys(previous).join();
      if (this.by === "broken") throw new RangeError("There is no " + this.by);
      return added;
    },
    run(event) {
      this.$emit({ calls, room: this.room, activated: this.db?.get("activated"), hello: this.crm?.hello(), woken: event.method ?? event.interval_seconds });
    },
  };`;

test("additionalProps adds an HTTP interface, a database and an app, and hooks and runs see their values", async () => {
  const ada = await signUp();
  const { body } = await ada.post("/sources", {
    component_code: WAKING,
    configured_props: { by: "http", room: "blue" },
  });
  expect(body.data.configured_props).toEqual({
    by: "http",
    room: "blue",
    http: { endpoint_url: expect.any(String) },
  });
  const endpoint = path(body.data.configured_props.http.endpoint_url);
  for (const _ of [1, 2]) await request("POST", endpoint, { body: {} });
  await runsCommitted(body.data.id);
  const seen = { room: "blue", activated: "blue", hello: "crm object", woken: "POST" };
  const events = await eventsOf(ada, body.data.id);
  // The first call of the source calls additionalProps once for its app, before any other run.
  expect(events).toMatchObject([seen, seen, { hook: "deploy", room: "blue" }]);
  expect(events[0].calls).toBe(events[1].calls);
});

test("a timer from additionalProps ticks", async () => {
  const ada = await signUp();
  const { body } = await ada.post("/sources", {
    component_code: WAKING,
    configured_props: { by: "timer", room: "blue" },
  });
  expect(body.data.configured_props.timer).toEqual({ cron: null, interval_seconds: 3600 });
  await expect
    .poll(() => eventsOf(ada, body.data.id))
    .toMatchObject([{ woken: 3600, room: "blue" }, { hook: "deploy" }]);
});

test("an update calls additionalProps with the previous props, and replaces them", async () => {
  const ada = await signUp();
  const { body } = await ada.post("/sources", {
    component_code: WAKING,
    configured_props: { by: "http", room: "blue" },
  });
  const updated = await ada.put(`/sources/${body.data.id}`, {
    configured_props: { by: "before", room: null },
  });
  expect(updated.body.data.configured_props).toEqual({
    by: "before",
    room: "by,room,http,db,crm",
  });
  expect(
    await ada.put(`/sources/${body.data.id}`, { configured_props: { by: "broken" } }),
  ).toMatchObject({
    status: 422,
    body: { error: "additionalProps failed: There is no broken", code: "invalid_configuration" },
  });
});

test("a change without code or values does not call additionalProps, so a source can always be switched off", async () => {
  const ada = await signUp();
  const component_code = `let calls = 0; export default { name: "Once", version: "1",
    props: { kind: { type: "string", reloadProps: true, optional: true } },
    additionalProps() { calls += 1; if (calls > 1) throw new Error("The service is gone"); return { room: { type: "string", default: "blue" } }; },
    run() { this.$emit(this.room); } };`;
  const { id } = (await ada.post("/sources", { component_code })).body.data;
  expect(await ada.put(`/sources/${id}`, { active: false })).toMatchObject({
    status: 200,
    body: { data: { active: false, configured_props: { room: "blue" } } },
  });
  expect(await ada.put(`/sources/${id}`, { name: "Again" })).toMatchObject({
    status: 200,
    body: { data: { active: true, name: "Again", configured_props: { room: "blue" } } },
  });
  expect((await ada.post(`/sources/${id}/run`, { wait: 10 })).body.data.events).toMatchObject([
    { event: "blue" },
  ]);
  expect(await ada.put(`/sources/${id}`, { configured_props: {} })).toMatchObject({ status: 422 });
});

test("values are checked against the merged props", async () => {
  const ada = await signUp();
  const refusal = async (configured_props: object) => {
    const answer = await ada.post("/sources", { component_code: WAKING, configured_props });
    return [answer.status, answer.body.error];
  };
  expect(await refusal({ by: "http" })).toEqual([400, "configured_props.room: is required"]);
  expect(await refusal({ by: "http", room: 1 })).toEqual([
    400,
    "configured_props.room: must be a string",
  ]);
  expect(await refusal({ by: "timer", room: "blue", timer: { intervalSeconds: 5 } })).toEqual([
    400,
    "configured_props.timer: intervalSeconds must be at least 15",
  ]);
  expect(await refusal({ room: "blue" })).toEqual([400, "configured_props.by: is required"]);
});
