import { expect, test } from "vitest";

import { signUp } from "../support/client.ts";
import { deploy, eventsOf, send } from "../support/deploy.ts";
import { newReceiver } from "../support/webhook.ts";
import { code, deployWorkflow, runOnce } from "../support/workflow.ts";

/** Names that every object inherits; assigning to the first creates no property. */
const NAMES = ["__proto__", "constructor", "toString"];

const DB = `export default {
  props: { http: { type: "$.interface.http", customResponse: true }, db: "$.service.db" },
  hooks: { deploy() { this.db.set("__proto__", { by: "hook" }); } },
  async run({ query }) {
    const before = this.db.get("__proto__");
    if (query.gone) this.db.set("__proto__", undefined);
    else this.db.set("__proto__", { by: query.by });
    if (query.slow) await new Promise((resolve) => setTimeout(resolve, 60));
    this.$emit(before?.by ?? null);
    if (query.throws) throw new Error("after all");
    if (query.responds) this.http.respond({ status: 200 });
  },
}`;

test("db keeps __proto__ across hooks and all kinds of runs", async () => {
  const { stub, url } = await deploy(DB);
  for (const query of ["by=a", "by=b&throws=1", "by=c&responds=1", "by=d&slow=1", "gone=1", "by=e"])
    await send(`${url}?${query}`);
  const seen = async () => (await eventsOf(stub)).map(({ event }) => event).toReversed();
  expect(await seen()).toEqual(["hook", "a", "b", "c", "d", null]);
  // Events during a run are run in one group.
  await Promise.all(
    ["by=f&slow=1", "by=g", "by=h", "by=i", "by=j&slow=1", "by=k"].map((query) =>
      send(`${url}?${query}`),
    ),
  );
  expect((await seen()).slice(6)).toEqual(["e", "f", "g", "h", "i", "j"]);
});

test("queries, forms, multipart, headers and JSON keep such names, once or repeated", async () => {
  const { stub, url } = await deploy(`export default {
    props: { http: "$.interface.http" },
    run({ query, headers, body }) {
      const own = (object) => ${JSON.stringify(NAMES)}.map((name) => Object.hasOwn(object, name) ? object[name] : null);
      this.$emit([own(query), own(headers), own(body)]);
    },
  }`);
  const pairs = NAMES.flatMap((name) => [
    [name, "1"],
    [name, "2"],
  ]);
  const form = new FormData();
  for (const [name = "", value = ""] of pairs) form.append(name, value);
  const fields = new URLSearchParams(pairs);
  const headers = { "content-type": "application/json", ["__proto__"]: "h", constructor: "c" };
  await send(`${url}?${fields.toString()}`, { body: form });
  await send(url, { body: fields });
  await send(url, { headers, body: `{"__proto__":{"a":1}}` });
  const twice = NAMES.map(() => ["1", "2"]);
  const none = NAMES.map(() => null);
  expect((await eventsOf(stub)).map(({ event }) => event).toReversed()).toEqual([
    [twice, none, twice],
    [none, none, twice],
    [none, ["h", "c", null], [{ a: 1 }, null, null]],
  ]);
});

test("respond() sends a header with such a name", async () => {
  const { url } = await deploy(`export default {
    props: { http: { type: "$.interface.http", customResponse: true } },
    run() { this.http.respond({ status: 200, headers: JSON.parse('{"__proto__":"h","constructor":"c"}') }); },
  }`);
  const { headers } = await send(url);
  expect([headers.get("__proto__"), headers.get("constructor")]).toEqual(["h", "c"]);
});

test("props may have such names, and keep such keys in their values", async () => {
  const ada = await signUp();
  const component_code = `export default {
    name: "Odd", version: "1",
    props: { ["__proto__"]: { type: "string" }, constructor: { type: "string", optional: true }, any: "any", toString: { type: "string", optional: true } },
    run() {
      this.$emit([Object.hasOwn(this, "__proto__") && this["__proto__"], typeof this.constructor, Object.keys(this.any), typeof this.toString]);
    },
  }`;
  const configured_props = JSON.parse(`{"__proto__":"own","any":{"__proto__":1,"a":2}}`);
  const saved = await ada.post("/sources", { component_code, configured_props });
  expect(saved).toMatchObject({ status: 200 });
  expect(JSON.stringify(saved.body.data.configured_props)).toBe(JSON.stringify(configured_props));
  const ran = await ada.post(`/sources/${saved.body.data.id}/run`, { wait: 20 });
  const [{ event }] = ran.body.data.events;
  expect(event).toEqual(["own", "undefined", ["__proto__", "a"], "undefined"]);
});

test("options exist only for props that a component declares, not for inherited names", async () => {
  const ada = await signUp();
  const { body } = await ada.post("/components", {
    component_code: `export default { name: "A", version: "1", type: "action", key: "odd-a", props: { a: "string" }, run() {} }`,
  });
  for (const prop_name of NAMES)
    expect(await ada.post(`/components/${body.data.id}/options`, { prop_name })).toMatchObject({
      status: 400,
    });
});

test("steps keep such names in exports, computed props and outgoing requests", async () => {
  const receiver = await newReceiver();
  const flow = await deployWorkflow({
    steps: [
      {
        name: "first",
        component_code: code(
          `$.export("__proto__", "e"); $.export("constructor", "c");
           await $.send.http({ method: "POST", url: "${receiver.url}", params: JSON.parse('{"__proto__":"q"}') });`,
        ),
      },
      {
        name: "second",
        props: JSON.parse(`{"__proto__":"{{steps.first['__proto__']}}","constructor":"fixed"}`),
        component_code: `export default { props: { ["__proto__"]: "string", constructor: "string" },
          run({ steps }) { return [this["__proto__"], this.constructor, Object.keys(steps.first)]; } }`,
      },
    ],
  });
  const run = await runOnce(flow);
  expect(Object.entries(run.steps[0].exports)).toEqual([
    ["__proto__", "e"],
    ["constructor", "c"],
  ]);
  expect(run.steps[1].exports.$return_value).toEqual(["e", "fixed", ["__proto__", "constructor"]]);
  const sent = async () => (await fetch(`${receiver.url}?__proto__=q`)).json();
  await expect.poll(sent).toHaveLength(1);
});
