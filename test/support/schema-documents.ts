import type { Json } from "#domain/json.ts";

/**
 * Documents for tests of the schemas and the platform. `refused`: both reject it; `only-platform`: rejected for a
 * reason that JSON Schema cannot express.
 */
export type Document = {
  what: string;
  expected: "accepted" | "refused" | "only-platform";
  fields: { [field: string]: Json | undefined };
};

const run = `export default { run() {} }`;
const step = { name: "one", component_code: run };
const whole = { name: "Flow", steps: [step] };

type Changes = Document["fields"];

const document =
  (base: Changes) =>
  (what: string, expected: Document["expected"], changes: Changes): Document => ({
    what,
    expected,
    fields: { ...base, ...changes },
  });

const workflow = document(whole);
const withStep = (what: string, expected: Document["expected"], changes: Changes): Document =>
  workflow(what, expected, { steps: [{ ...step, ...without(changes) }] });
const withTrigger = (what: string, expected: Document["expected"], trigger: Json): Document =>
  workflow(what, expected, { trigger });

/** JSON has no undefined. */
function without(fields: Changes): { [field: string]: Json } {
  return JSON.parse(JSON.stringify(fields));
}

const names = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `step_${index}`, component_code: run }));

const component = { component_code: null };

/** Workflow files; every user can deploy the accepted ones. */
export const WORKFLOWS: readonly Document[] = [
  workflow("the least", "accepted", {}),
  workflow("a name of a schema", "accepted", { $schema: "../docs/schemas/workflow.json" }),
  workflow("a schema that is not text", "refused", { $schema: 7 }),
  workflow("a schema that is null", "refused", { $schema: null }),
  workflow("an unknown field", "accepted", { notes: "kept out" }),
  workflow("no name", "refused", { name: undefined }),
  workflow("a name that is null", "refused", { name: null }),
  workflow("an empty name", "refused", { name: "" }),
  workflow("a blank name", "refused", { name: " \n\t " }),
  workflow("a name of 256 characters between spaces", "accepted", {
    name: `  ${"x".repeat(256)}  `,
  }),
  workflow("a name of 257 characters", "refused", { name: "x".repeat(257) }),
  workflow("a name of 256 emoji", "accepted", { name: "😀".repeat(256) }),
  workflow("a name of 257 emoji", "refused", { name: "😀".repeat(257) }),
  workflow("an owner that is not a user", "refused", { owner_id: "dc_1" }),
  workflow("an owner that is a number", "refused", { owner_id: 1 }),
  workflow("an owner that is null", "refused", { owner_id: null }),
  workflow("an owner that does not exist", "only-platform", { owner_id: "u_nobody" }),
  workflow("no steps", "refused", { steps: undefined }),
  workflow("empty steps", "refused", { steps: [] }),
  workflow("steps by name", "refused", { steps: { one: step } }),
  workflow("a step that is text", "refused", { steps: ["one"] }),
  workflow("two steps of one name", "only-platform", { steps: [step, step] }),
  workflow("51 steps", "refused", { steps: names(51) }),
  workflow("inactive", "accepted", { active: false }),
  workflow("active in words", "accepted", { active: "Yes" }),
  workflow("active with another word", "refused", { active: "maybe" }),
  workflow("active after a space", "refused", { active: " true" }),
  workflow("active as a number", "refused", { active: 1 }),
  workflow("active as null", "refused", { active: null }),
  withStep("no name of a step", "refused", { name: null }),
  withStep("a name of a step with a hyphen", "refused", { name: "a-b" }),
  withStep("a name of a step that begins with a digit", "refused", { name: "1a" }),
  withStep("a name of a step of 65 characters", "refused", { name: "a".repeat(65) }),
  withStep("a name of a step that ends with a newline", "refused", { name: "one\n" }),
  withStep("a step called trigger", "refused", { name: "trigger" }),
  withStep("a step called __proto__", "refused", { name: "__proto__" }),
  withStep("a step called Trigger", "accepted", { name: "Trigger" }),
  withStep("a step without code or component", "refused", component),
  withStep("a step of empty code", "refused", { component_code: "" }),
  withStep("a step of code and a key", "refused", { key: "my-key" }),
  withStep("a step of code and an id", "refused", { component_id: "sc_1" }),
  withStep("a step of an id and a key", "refused", {
    ...component,
    component_id: "sc_1",
    key: "k",
  }),
  withStep("a step of code beside nulls", "accepted", { component_id: null, key: null }),
  withStep("an empty key", "refused", { ...component, key: "" }),
  withStep("an id of a source", "refused", { ...component, component_id: "dc_1" }),
  withStep("an id of nothing", "only-platform", { ...component, component_id: "sc_1" }),
  withStep("a key of nothing", "only-platform", { ...component, key: "no-such-component" }),
  withStep("props that are null", "accepted", { props: null }),
  withStep("props as JSON text", "accepted", { props: " {} " }),
  withStep("props as a list", "refused", { props: [] }),
  withStep("props as the text of a list", "refused", { props: "[1]" }),
  withStep("props as other text", "refused", { props: "none" }),
  withStep("props as text in braces", "only-platform", { props: "{a}" }),
  withStep("props as a number", "refused", { props: 3 }),
  withStep("an undeclared prop", "only-platform", { props: { nope: 1 } }),
  withStep("an id that is not an account's", "refused", { account: "u_1" }),
  withStep("an account that is null", "accepted", { account: null }),
  withStep("retries", "accepted", { retries: { limit: 20, delay_seconds: 86_400 } }),
  withStep("retries without a delay", "accepted", { retries: { limit: 0 } }),
  withStep("retries that are null", "accepted", { retries: null }),
  withStep("retries without a limit", "refused", { retries: { delay_seconds: 1 } }),
  withStep("21 retries", "refused", { retries: { limit: 21 } }),
  withStep("half a retry", "refused", { retries: { limit: 0.5 } }),
  withStep("a retry in the past", "refused", { retries: { limit: 1, delay_seconds: -1 } }),
  withStep("a retry after more than a day", "refused", {
    retries: { limit: 1, delay_seconds: 86_401 },
  }),
  withTrigger("a trigger that is null", "refused", null),
  withTrigger("a trigger that is text", "refused", "http"),
  withTrigger("a trigger without a type", "refused", { cron: "0 0 * * *" }),
  withTrigger("a trigger of an unknown type", "refused", { type: "mail" }),
  withTrigger("an HTTP trigger", "accepted", { type: "http" }),
  withTrigger("an HTTP trigger with a timer's fields", "accepted", {
    type: "http",
    cron: "never",
    interval_seconds: 0.5,
  }),
  withTrigger("a timer without a schedule", "refused", { type: "timer" }),
  withTrigger("a timer with two schedules", "refused", {
    type: "timer",
    cron: "0 0 * * *",
    interval_seconds: 60,
  }),
  withTrigger("a timer by cron beside null", "accepted", {
    type: "timer",
    cron: " 0 0  * * * ",
    interval_seconds: null,
    timezone: "Europe/Berlin",
  }),
  withTrigger("a timer by cron of six fields", "accepted", { type: "timer", cron: "0 0 0 * * *" }),
  withTrigger("a timer by cron of four fields", "refused", { type: "timer", cron: "0 0 * *" }),
  withTrigger("a timer by cron of seven fields", "refused", {
    type: "timer",
    cron: "0 0 0 * * * 2030",
  }),
  withTrigger("a timer by an invalid cron expression", "only-platform", {
    type: "timer",
    cron: "a b c d e",
  }),
  withTrigger("a timer in an unknown time zone", "only-platform", {
    type: "timer",
    cron: "0 0 * * *",
    timezone: "Mars/Olympus",
  }),
  withTrigger("a timer by interval", "accepted", { type: "timer", interval_seconds: 15 }),
  withTrigger("a timer by interval of text", "refused", { type: "timer", interval_seconds: "15" }),
  withTrigger("a timer by interval of 14 s", "refused", { type: "timer", interval_seconds: 14 }),
  withTrigger("a timer by interval of a fraction", "refused", {
    type: "timer",
    interval_seconds: 15.5,
  }),
  withTrigger("a timer beside an empty cron", "refused", {
    type: "timer",
    interval_seconds: 15,
    cron: "",
  }),
];

const definition = document({
  name: "Greeter",
  version: "1",
  type: "source",
  runs: true,
  hooks: [],
  dynamic: false,
  props: [],
});
const withProp = (
  what: string,
  expected: Document["expected"],
  prop: Json,
  changes: Changes = {},
) => definition(what, expected, { ...changes, props: [prop] });

const http = { name: "http", type: "$.interface.http" };
const action = { type: "action" };

/** Definitions of components. */
export const COMPONENTS: readonly Document[] = [
  definition("a source", "accepted", {}),
  definition("an action", "accepted", action),
  definition("a version that is a number", "accepted", { version: 2 }),
  definition("a version that is blank", "refused", { version: " " }),
  definition("a version that is null", "refused", { version: null }),
  definition("no version", "refused", { version: undefined }),
  definition("no name", "refused", { name: undefined }),
  definition("a blank name", "refused", { name: " " }),
  definition("a name of 1000 characters between spaces", "accepted", {
    name: ` ${"x".repeat(1000)} `,
  }),
  definition("a name of 1001 characters", "refused", { name: "x".repeat(1001) }),
  definition("an unknown type", "refused", { type: "sink" }),
  definition("nulls for optional fields", "accepted", {
    key: null,
    description: null,
    dedupe: null,
    sampleEmit: null,
    annotations: null,
  }),
  definition("a key that is a number", "refused", { key: 1 }),
  definition("a key of 1001 characters", "refused", { key: "x".repeat(1001) }),
  definition("an unknown dedupe strategy", "refused", { dedupe: "most" }),
  definition("an unknown hook", "refused", { hooks: ["install"] }),
  definition("props by name", "refused", { props: { x: { type: "string" } } }),
  definition("runs as text", "refused", { runs: "true" }),
  definition("an unknown field", "accepted", { methods: [] }),
  definition("a source without run", "accepted", { runs: false }),
  definition("an action without run", "refused", { ...action, runs: false }),
  definition("an action with a hook", "refused", { ...action, hooks: ["deploy"] }),
  definition("a megabyte", "only-platform", { description: "x".repeat(1024 * 1024) }),
  withProp("a prop", "accepted", { name: "x", type: "string", options: [{ value: null }] }),
  withProp("a prop without a type", "refused", { name: "x" }),
  withProp("a prop of a blank type", "refused", { name: "x", type: " " }),
  withProp("a prop without a name", "refused", { type: "string" }),
  withProp("a prop that is its type", "refused", "string"),
  withProp("an alert", "accepted", { name: "x", type: "alert", alertType: "info", content: "" }),
  withProp("an alert without a tone", "accepted", { name: "x", type: "alert", content: "" }),
  withProp("an alert without content", "refused", { name: "x", type: "alert" }),
  withProp("an alert with an unknown tone", "refused", {
    name: "x",
    type: " alert ",
    alertType: "loud",
    content: "Mind the gap",
  }),
  withProp("a source by HTTP", "accepted", http),
  withProp("a source by HTTP without run", "refused", http, { runs: false }),
  withProp(
    "a source by HTTP between spaces, without run",
    "refused",
    {
      ...http,
      type: " $.interface.http ",
    },
    { runs: false },
  ),
  withProp("an action by HTTP", "refused", http, action),
  withProp("an action with a database", "accepted", { name: "db", type: "$.service.db" }, action),
];
