import { expect, test } from "vitest";

import { signUp, workspaceOf } from "../support/client.ts";

/** An app whose options show the arguments of their calls. */
const APP = `
  const shown = (seen) => [{ label: "seen", value: seen }];
  const crm = {
    type: "app", app: "crm",
    propDefinitions: {
      board: {
        type: "string", label: "Board",
        async options({ page, prevContext }) { return this.pageOf(page, prevContext); },
      },
      card: {
        type: "string", label: "Card", useQuery: true,
        options({ ...given }) { return shown(given); },
      },
      nested: { propDefinition: [{ type: "app", app: "other", propDefinitions: {
        inner: { type: "string", options(given) { return shown([this.app, given.a, given.b]); } },
      } }, "inner", { a: 1, b: 1 }] },
    },
    methods: {
      pageOf(page, prevContext) {
        return { options: [page, { label: "B", value: "b" }, this.app], context: { after: page, before: prevContext } };
      },
    },
  };`;

const COMPONENT = `${APP}
  export default {
    name: "Card", version: "1", type: "action", key: "crm-card",
    props: {
      crm,
      board: { propDefinition: [crm, "board"] },
      card: { propDefinition: [crm, "card", ({ board }) => ({ boardId: board.toUpperCase() })] },
      fixed: { propDefinition: [crm, "card", { boardId: "b1" }] },
      nested: { propDefinition: [crm, "nested", { b: 2 }] },
      own: { type: "string", label: "Own", async options() { return [this.size, this.double(2), this.crm.app]; } },
      size: { type: "integer", default: 3, optional: true },
      plain: { type: "string", optional: true },
      written: { type: "string", options: ["a", { label: "B", value: "b" }] },
      empty: { type: "string", options: () => undefined },
      broken: { type: "string", options() { const error = new Error("Boards are closed"); error.name = "ConfigurationError"; throw error; } },
      wrong: { type: "string", options: () => "x" },
      thrown: { type: "string", options() { throw "just text"; } },
    },
    methods: { double(n) { return n * 2; } },
    run() {},
  };`;

async function saved(component_code = COMPONENT) {
  const ada = await signUp();
  const { id } = (await ada.post("/components", { component_code })).body.data;
  const options = (prop_name: string, rest: object = {}) =>
    ada.post(`/components/${id}/options`, { prop_name, ...rest });
  const props = (configured_props: object, rest: object = {}) =>
    ada.post(`/components/${id}/props`, { configured_props, ...rest });
  return { ada, id, options, props };
}

test("options are called with page and prevContext, at first an empty object, and may return a context", async () => {
  const { options } = await saved();
  const first = await options("board");
  expect(first).toMatchObject({ status: 200 });
  expect(first.body.data).toEqual({
    options: [
      { label: "0", value: 0 },
      { label: "B", value: "b" },
      { label: "crm", value: "crm" },
    ],
    context: { after: 0, before: {} },
  });
  const next = await options("board", { page: 1, prev_context: first.body.data.context });
  expect(next.body.data.context).toEqual({ after: 1, before: { after: 0, before: {} } });
});

test("inputs are the third element of a propDefinition: an object, or a function of the configured props", async () => {
  const { options } = await saved();
  const seen = async (...args: Parameters<typeof options>) =>
    (await options(...args)).body.data.options[0].value;
  expect(
    await seen("card", { configured_props: { board: { __lv: { label: "B", value: "b7" } } } }),
  ).toEqual({ boardId: "B7", page: 0, prevContext: {} });
  expect(await seen("fixed", { query: "tea" })).toEqual({
    boardId: "b1",
    page: 0,
    prevContext: {},
    query: "tea",
  });
  expect(await seen("nested")).toEqual(["other", 1, 2]);
});

test("a component's own options see the same this as run, with defaults", async () => {
  const { options } = await saved();
  const answer = await options("own", { configured_props: { size: 5 } });
  expect(answer.body.data.options.map(({ value }: { value: unknown }) => value)).toEqual([
    5,
    4,
    "crm",
  ]);
  expect((await options("own")).body.data.options[0]).toEqual({ label: "3", value: 3 });
});

test("static options are returned as pairs, and a prop without options returns an empty list", async () => {
  const { options } = await saved();
  expect((await options("written")).body.data).toEqual({
    options: [
      { label: "a", value: "a" },
      { label: "B", value: "b" },
    ],
  });
  expect((await options("empty")).body.data).toEqual({ options: [] });
});

test.for([
  ["broken", 422, /options of broken failed: Boards are closed/],
  ["thrown", 422, /options of thrown failed: just text/],
  ["wrong", 422, /options of wrong failed: options\(\) must return an array/],
  ["card", 422, /options of card failed: .*toUpperCase/],
  ["plain", 400, /prop_name: has no options/],
  ["nowhere", 400, /prop_name: is not a prop/],
] as const)("options of %s fail with %i and the reason", async ([prop, status, message]) => {
  const { options } = await saved();
  expect(await options(prop)).toMatchObject({
    status,
    body: { error: expect.stringMatching(message) },
  });
});

test.for([
  [{ prop_name: "own", configured_props: { size: "big" } }, "configured_props.size"],
  [{ prop_name: "own", page: -1 }, "page"],
  [{}, "prop_name"],
  [{ prop_name: "own", dynamic_props: [{ name: "x" }] }, "dynamic_props.0"],
] as const)("rejects a form with %j", async ([body, path]) => {
  const { ada, id } = await saved();
  expect(await ada.post(`/components/${id}/options`, body)).toMatchObject({
    status: 400,
    body: { details: { issues: [{ path }] } },
  });
});

test("a form may name a component by its key, and finds only the caller's components", async () => {
  const [{ ada, id }, eve] = [await saved(), await signUp()];
  const body = { prop_name: "written" };
  expect(await ada.post("/components/crm-card/options", body)).toMatchObject({ status: 200 });
  const org = await workspaceOf(ada);
  expect(await ada.post(`/components/${id}/options?org_id=${org}`, body)).toMatchObject({
    status: 200,
  });
  for (const [client, path] of [
    [eve, `/components/${id}/options`],
    [eve, `/components/${id}/props`],
    [ada, `/components/${id}/options?org_id=o_stranger`],
  ] as const)
    expect(await client.post(path, body)).toMatchObject({ status: 404 });
});

const DYNAMIC = `${APP}
  export default {
    name: "Dynamic", version: "1", type: "action",
    props: {
      crm,
      kind: { type: "string", label: "Kind", reloadProps: true },
      note: { type: "string", optional: true },
    },
    methods: { label(kind) { return kind + " of " + this.crm.app; } },
    async additionalProps(previous) {
      if (this.kind === "none") return {};
      if (this.kind === "nothing") return;
      if (this.kind === "false") return false;
      if (this.kind === "list") return [];
      if (this.kind === "wrong") { const error = new Error("No such kind"); error.name = "ConfigurationError"; throw error; }
      previous.note.hidden = true;
      return {
        board: { propDefinition: [crm, "board"], label: this.label(this.kind) },
        card: { propDefinition: [crm, "card", (c) => ({ boardId: c.board })] },
        seen: { type: "any", default: Object.keys(previous) },
        boards: "string[]",
        warning: { type: "alert", alertType: "warning", content: "Mind the gap" },
      };
    },
    run() {},
  };`;

const names = (props: { name: string }[]) => props.map(({ name }) => name);

test("additional props follow the component's own without functions, and replace the previous ones", async () => {
  const { props } = await saved(DYNAMIC);
  const first = await props({ kind: "board" });
  const { configurable_props } = first.body.data;
  expect(configurable_props).toEqual([
    { name: "crm", type: "app", app: "crm" },
    { name: "kind", type: "string", label: "Kind", reloadProps: true },
    { name: "note", type: "string", optional: true, hidden: true },
    { name: "board", type: "string", label: "board of crm", remoteOptions: true },
    { name: "card", type: "string", label: "Card", useQuery: true, remoteOptions: true },
    { name: "seen", type: "any", default: ["crm", "kind", "note"] },
    { name: "boards", type: "string[]" },
    { name: "warning", type: "alert", alertType: "warning", content: "Mind the gap" },
  ]);
  const again = await props({ kind: "board" }, { dynamic_props: configurable_props });
  expect(again.body.data.configurable_props[5].default).toEqual(names(configurable_props));
  const own = ["crm", "kind", "note"];
  for (const kind of ["none", "nothing", "false"])
    expect(names((await props({ kind })).body.data.configurable_props)).toEqual(own);
});

test("an additional prop has options, and sees the other configured props", async () => {
  const { options } = await saved(DYNAMIC);
  const configured_props = { kind: "card", board: "b9" };
  expect(
    (await options("card", { configured_props, query: "q" })).body.data.options[0].value,
  ).toEqual({ boardId: "b9", page: 0, prevContext: {}, query: "q" });
  expect(await options("never", { configured_props })).toMatchObject({
    status: 400,
    body: { error: expect.stringContaining("prop_name") },
  });
});

test.for([
  ["wrong", /additionalProps failed: No such kind/],
  ["list", /additionalProps failed: additionalProps\(\) must return an object/],
] as const)(
  "additionalProps of the kind %s fail with 422 and the reason",
  async ([kind, message]) => {
    const { props } = await saved(DYNAMIC);
    expect(await props({ kind })).toMatchObject({
      status: 422,
      body: { code: "invalid_configuration", error: expect.stringMatching(message) },
    });
  },
);

test("a component without additionalProps has the props that it declares", async () => {
  const { ada, id, props } = await saved();
  const { configurable_props } = (await ada.get(`/components/${id}`)).body.data;
  expect((await props({})).body.data).toEqual({ configurable_props });
});
