// @suites release

import { expect, test } from "vitest";

import { signUp } from "../support/client.ts";

/** Deploy and run a source with this prop `x`. Returns its definition, its shown value, and its value in `run`. */
async function configured(prop: string, value?: unknown) {
  const ada = await signUp();
  const component_code = `export default { name: "Typed", version: "1",
    props: { x: ${prop} }, run() { this.$emit({ seen: this.x }); } };`;
  const configured_props = value === undefined ? {} : { x: value };
  const created = await ada.post("/sources", { component_code, configured_props });
  if (created.status !== 200) return { status: created.status, error: created.body.error };
  const { id, component_id, configured_props: values } = created.body.data;
  const component = await ada.get(`/components/${component_id}`);
  const ran = await ada.post(`/sources/${id}/run`, { wait: 10 });
  return {
    status: 200,
    declared: component.body.data.configurable_props[0],
    shown: values.x,
    seen: ran.body.data.events[0].event.seen,
  };
}

test.for([
  [`"string"`, "text"],
  [`{ type: "string" }`, "text"],
  [`{ type: "string", options: ["a", { label: "B", value: "b" }] }`, "b"],
  [`{ type: "string[]" }`, ["a", "b"]],
  [`"boolean"`, false],
  [`"boolean[]"`, [true, false]],
  [`{ type: "integer", min: 1, max: 3 }`, 3],
  [`"integer[]"`, [1, 2]],
  [`"object"`, { a: { b: [1] } }],
  [`"any"`, [1, "a", { b: null }]],
  [`{ type: "$.something.new", extra: [1] }`, { kept: true }],
  [`{ type: "http_request", default: { method: "GET", url: "" } }`, undefined],
] as const)("a prop %s accepts %j, and shows it", async ([prop, value]) => {
  const { status, shown, seen } = await configured(prop, value);
  expect(status).toBe(200);
  if (value === undefined) return;
  expect(shown).toEqual(value);
  expect(seen).toEqual(value);
});

test.for([
  [`"string"`, 7, /must be a string/],
  [`"string[]"`, "a", /must be a list/],
  [`"boolean"`, "true", /true or false/],
  [`"boolean[]"`, [true, 1], /element 1 must be true or false/],
  [`"integer"`, "7", /must be an integer/],
  [`{ type: "integer", max: 3 }`, 4, /at most 3/],
  [`"integer[]"`, [0.5], /element 0 must be an integer/],
  [`"object"`, "{}", /must be an object/],
  [`{ type: "string", options: ["a"] }`, "b", /must be one of "a"/],
  [`"string"`, "x".repeat(64 * 1024 + 1), /at most 64 KB/],
  [`"any"`, ["x".repeat(64 * 1024)], /at most 64 KB/],
  [`"app"`, { token: "t" }, /authProvisionId/],
  [`{ type: "$.interface.timer" }`, undefined, /is required/],
  [`"string"`, undefined, /is required/],
] as const)("a prop %s rejects %#", async ([prop, value, error]) => {
  expect(await configured(prop, value)).toEqual({
    status: 400,
    error: expect.stringMatching(error),
  });
});

test("shows every field of a prop's definition", async () => {
  const prop = `{ type: "string", label: "L", description: "**D**", options: async () => [], useQuery: true, withLabel: true,
    optional: true, default: "d", hidden: true, disabled: true, reloadProps: true, extra: { a: 1 } }`;
  expect((await configured(prop)).declared).toEqual({
    name: "x",
    type: "string",
    label: "L",
    description: "**D**",
    remoteOptions: true,
    useQuery: true,
    withLabel: true,
    optional: true,
    default: "d",
    hidden: true,
    disabled: true,
    reloadProps: true,
    extra: { a: 1 },
  });
});

test.for([
  [`{ type: "string", default: "d" }`, "d"],
  [`{ type: "string", optional: true }`, undefined],
  [`{ type: "string", hidden: true }`, undefined],
  [`{ type: "string", disabled: true }`, undefined],
  [`{ type: "integer", optional: true, default: 0 }`, 0],
  [
    `{ type: "string", withLabel: true, default: "d", options: [{ label: "D", value: "d" }] }`,
    { label: "D", value: "d" },
  ],
] as const)("a prop %s without a value is %j in run", async ([prop, value]) => {
  const { status, seen } = await configured(prop);
  expect([status, seen]).toEqual([200, value]);
});

test.for([
  [`"string"`, { __lv: { label: "A", value: "a" } }, "a"],
  [`"string[]"`, [{ __lv: { label: "A", value: "a" } }, "b"], ["a", "b"]],
  [`"string[]"`, { __lv: [{ label: "A", value: "a" }] }, ["a"]],
  [
    `{ type: "string", withLabel: true }`,
    { __lv: { label: "A", value: "a" } },
    { label: "A", value: "a" },
  ],
  [
    `{ type: "integer[]", withLabel: true }`,
    [{ __lv: { label: "One", value: 1 } }],
    [{ label: "One", value: 1 }],
  ],
] as const)("a prop %s with the labelled value %j is %j in run", async ([prop, value, seen]) => {
  expect(await configured(prop, value)).toMatchObject({ status: 200, seen });
});

test("a static timer ticks by the component's definition, whatever the configured value", async () => {
  const prop = `{ type: "$.interface.timer", static: { intervalSeconds: 3600 } }`;
  for (const value of [undefined, { intervalSeconds: 60 }])
    expect(await configured(prop, value)).toMatchObject({
      shown: { cron: null, interval_seconds: 3600 },
    });
});

test("no response contains a secret, and run sees it", async () => {
  const ada = await signUp();
  const secret = "s3cret-value";
  const component_code = `export default { name: "Secret", version: "1",
    props: { kind: { type: "string", reloadProps: true, optional: true }, token: { type: "string", secret: true } },
    additionalProps() { return { more: { type: "string", secret: true, optional: true }, count: { type: "integer", optional: true } }; },
    run() { this.$emit([this.token, this.more].map((text) => text.length)); } };`;
  const configured_props = { token: secret, more: secret };
  const created = await ada.post("/sources", { component_code, configured_props });
  const { id } = created.body.data;
  const ran = await ada.post(`/sources/${id}/run`, { wait: 10 });
  expect(ran.body.data.events).toMatchObject([{ event: [secret.length, secret.length] }]);
  const form = { configured_props: { ...configured_props, count: 1 } };
  const answers = [
    created,
    ran,
    await ada.get(`/sources/${id}`),
    await ada.get("/users/me/sources"),
    await ada.put(`/sources/${id}`, { configured_props: { token: `${secret}2`, count: "no" } }),
    await ada.put(`/sources/${id}`, { name: "Renamed" }),
    await ada.post(`/components/${created.body.data.component_id}/props`, form),
    await ada.get(`/sources/${id}/$logs/event_summaries`),
    await ada.get(`/sources/${id}/$errors/event_summaries`),
  ];
  expect(answers.map(({ status }) => status)).toEqual([
    200, 200, 200, 200, 400, 200, 200, 200, 200,
  ]);
  for (const { body } of answers) expect(JSON.stringify(body)).not.toContain(secret);
  const again = await ada.post(`/sources/${id}/run`, { wait: 10 });
  expect(again.body.data.events).toMatchObject([{ event: [secret.length, secret.length] }]);
});

test("a prop definition of false, null or undefined adds no prop", async () => {
  const ada = await signUp();
  const component_code = `export default { name: "Conditional", version: "1",
    props: { a: "string", b: undefined, c: false && { type: "string" } },
    additionalProps() { return { d: null, e: "" === "x" && { type: "string" }, f: { type: "string", optional: true } }; },
    run() { this.$emit(Object.keys(this).toSorted()); } };`;
  const created = await ada.post("/sources", { component_code, configured_props: { a: "1" } });
  expect(created).toMatchObject({ status: 200 });
  const ran = await ada.post(`/sources/${created.body.data.id}/run`, { wait: 10 });
  expect(ran.body.data.events).toMatchObject([{ event: ["a", "f"] }]);
  const { id } = (await ada.get(`/components/${created.body.data.component_id}`)).body.data;
  const form = await ada.post(`/components/${id}/props`, {});
  const names = form.body.data.configurable_props.map(({ name }: { name: string }) => name);
  expect(names).toEqual(["a", "f"]);
});

test("keeps a component's sample event and annotations, but no sample that is too large or not JSON", async () => {
  const ada = await signUp();
  const saved = async (extra: string) =>
    (
      await ada.post("/components", {
        component_code: `export default { name: "Annotated", version: "1", run() {}, ${extra} }`,
      })
    ).body.data;
  expect(
    await saved(`sampleEmit: { id: 1, at: new Date(0) }, annotations: { readOnlyHint: true }`),
  ).toMatchObject({
    sample_emit: { id: 1, at: "1970-01-01T00:00:00.000Z" },
    annotations: { readOnlyHint: true },
  });
  for (const sample of [
    `"x".repeat(70000)`,
    `() => 1`,
    `(() => { const a = {}; a.a = a; return a; })()`,
    `1n`,
  ])
    expect(await saved(`sampleEmit: ${sample}`)).not.toHaveProperty("sample_emit");
});
