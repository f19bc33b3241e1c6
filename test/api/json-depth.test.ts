// @suites loader

import { expect, test } from "vitest";

import { operator, signUp } from "../support/client.ts";
import { newStore } from "../support/data-store.ts";
import { deploy, eventsOf, send } from "../support/deploy.ts";
import { runsCommitted } from "../support/source-tables.ts";
import { code, deployWorkflow, ended, runOnce } from "../support/workflow.ts";

const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
const TOO_DEEP = "nested at most 500 levels deep";

/** Code of a list with that many levels. */
const NESTED = `const nested = (levels) => {
  let list = [];
  for (let level = 1; level < levels; level += 1) list = [list];
  return list;
};`;

test("a source receives a body that is nested too deep as text", async () => {
  const { stub, url, deployment } = await deploy(`export default {
    props: { http: "$.interface.http" },
    run({ body, bodyRaw }) { this.$emit([typeof body, typeof body === "string" ? body === bodyRaw : body.length]); },
  }`);
  const headers = { "content-type": "application/json" };
  for (const body of [nested(501), nested(6000), nested(250_000), nested(500)]) {
    expect(await send(url, { headers, body })).toMatchObject({ status: 200 });
    await runsCommitted(deployment.sourceId);
  }
  const [ok, ...texts] = (await eventsOf(stub)).map(({ event }) => event);
  expect(ok).toEqual(["object", 1]);
  expect(texts).toEqual(texts.map(() => ["string", true]));
  expect(texts).toHaveLength(3);
});

test("the endpoint of a workflow receives such a body as text", async () => {
  const flow = await deployWorkflow({
    steps: [{ name: "s", component_code: code("return typeof steps.trigger.event.body") }],
  });
  const headers = { "content-type": "application/json" };
  await send(flow.url, { headers, body: nested(6000) });
  await expect.poll(ended(flow)).toBeDefined();
  const { body } = await flow.user.get(`/workflows/${flow.id}/runs`);
  const run = await flow.user.get(`/workflows/${flow.id}/runs/${body.data[0].id}`);
  expect(run.body.data.steps[0].exports).toEqual({ $return_value: "string" });
});

test("rejects a parameter that is nested too deep, in a body and in a query", async () => {
  const ada = await signUp();
  const component_code = `export default { name: "S", version: "1", props: { any: "any" }, run() {} }`;
  const json = { "content-type": "application/json" };
  const deep = `{"component_code":${JSON.stringify(component_code)},"configured_props":{"any":${nested(3000)}}}`;
  expect(await ada.post("/sources", deep, json)).toMatchObject({
    status: 400,
    body: { code: "invalid_input", error: expect.stringContaining(TOO_DEEP) },
  });
  const query = new URLSearchParams({
    component_code,
    configured_props: `{"any":${nested(1500)}}`,
  });
  expect(await ada.post(`/sources?${query.toString()}`)).toMatchObject({
    status: 400,
    body: {
      code: "invalid_input",
      error: expect.stringMatching(`configured_props.*${TOO_DEEP}`),
    },
  });
  expect(await operator.post("/backup/check", nested(3000))).toMatchObject({
    status: 400,
    body: { error: expect.stringContaining(TOO_DEEP) },
  });
});

test("emits and db values that are nested too deep throw in the component, and earlier ones are kept", async () => {
  const { stub, url } = await deploy(`${NESTED}
    const messageOf = (work) => { try { work(); return "none"; } catch (error) { return error.name + ": " + error.message; } };
    export default {
      props: { http: "$.interface.http", db: "$.service.db" },
      run() {
        this.$emit({ deepest: nested(499) }, { name: "deepest" });
        this.$emit([
          messageOf(() => this.$emit(nested(501))),
          messageOf(() => this.$emit(nested(6000))),
          messageOf(() => this.$emit(nested(100000))),
          messageOf(() => this.db.set("a", nested(501))),
        ]);
      },
    }`);
  await send(url);
  const message = (what: string) => `RangeError: ${what}: JSON may be ${TOO_DEEP}`;
  expect((await eventsOf(stub)).map(({ event }) => event)).toEqual([
    [message("$emit"), message("$emit"), message("$emit"), message('db.set("a")')],
    { deepest: JSON.parse(nested(499)) },
  ]);
});

test("an export, return value or message that is nested too deep throws in the step", async () => {
  const of = (body: string) =>
    deployWorkflow({
      steps: [{ name: "s", component_code: `${NESTED} ${code(body)}` }],
    });
  for (const [body, what] of [
    ["return nested(501)", "The return value"],
    [`$.export("a", nested(6000))`, '$.export("a")'],
    ["await $.send.emit({ raw_event: nested(501) })", "$.send.emit"],
    ["await $.send.sse({ channel: 'c', payload: nested(501) })", "$.send.sse"],
    ["await $.flow.trigger('p_a', nested(501))", "$.flow.trigger"],
    ["$.flow.rerun(1, nested(501))", "$.flow.rerun"],
  ] as const)
    expect(await runOnce(await of(body))).toMatchObject({
      state: "failed",
      error: { code: "RangeError", message: `${what}: JSON may be ${TOO_DEEP}` },
    });
});

test("rejects a data store record that is nested too deep, from every writer", async () => {
  const ada = await signUp();
  const id = (await newStore(ada)).slice("/data_stores/".length);
  const flow = await deployWorkflow({
    owner: ada,
    steps: [
      {
        name: "s",
        props: { store: id },
        component_code: `${NESTED} export default {
          props: { store: { type: "data_store" } },
          async run() { await this.store.set("k", nested(501)); },
        }`,
      },
    ],
  });
  expect(await runOnce(flow)).toMatchObject({
    state: "failed",
    error: { message: expect.stringContaining(TOO_DEEP) },
  });
});

test("options and definitions that are nested too deep are an error of the component", async () => {
  const ada = await signUp();
  const component_code = `${NESTED} export default {
    name: "A", version: "1", type: "action", key: "deep-choices",
    props: { p: { type: "string", options: () => [{ label: "a", value: nested(501) }] } },
    run() {},
  }`;
  const { body } = await ada.post("/components", { component_code });
  expect(await ada.post(`/components/${body.data.id}/options`, { prop_name: "p" })).toMatchObject({
    status: 422,
    body: { error: expect.stringContaining(TOO_DEEP) },
  });
  const deep = `${NESTED} export default {
    name: "A", version: "1", type: "action", props: { p: { type: "string", default: nested(501) } }, run() {},
  }`;
  expect(await ada.post("/components", { component_code: deep })).toMatchObject({
    status: 422,
    body: { error: expect.stringContaining(TOO_DEEP) },
  });
});
