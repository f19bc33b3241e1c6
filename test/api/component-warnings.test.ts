import { expect, test } from "vitest";

import { signUp } from "../support/client.ts";

const MISSPELLED = `export default {
  name: "Misspelled", version: "1", dedup: "unique",
  props: {
    word: { type: "string", lable: "A word", optional: true },
    pick: { type: "strng", optons() { return []; } },
    app: { type: "app", app: "shop", methds: {} },
  },
  hooks: { activte() {} },
  run() {},
};`;

const WARNINGS = [
  'dedup: is not a known field: did you mean "dedupe"?',
  'hooks.activte: is never called: did you mean "activate"?',
  'props.word.lable: is not a known field: did you mean "label"?',
  'props.pick.type: "strng" is not a known type, so its values are not checked: did you mean "string"?',
  'props.pick.optons: is not a known field: did you mean "options"?',
  'props.app.methds: is not a known field: did you mean "methods"?',
];

test("the response to a component's code names its misspelt fields", async () => {
  const ada = await signUp();
  const saved = await ada.post("/components", { component_code: MISSPELLED, nmae: "x" });
  expect(saved).toMatchObject({
    status: 200,
    body: { warnings: ["nmae: is not a known field", ...WARNINGS] },
  });
  const created = await ada.post("/sources", { component_code: MISSPELLED });
  expect(created.body.warnings).toEqual(WARNINGS);
  const changed = await ada.put(`/sources/${created.body.data.id}`, { component_code: MISSPELLED });
  expect(changed.body.warnings).toEqual(WARNINGS);
  // The request contains no names that could be misspelt.
  const again = await ada.post("/sources", { component_id: saved.body.data.id });
  expect(again).toMatchObject({ status: 200, body: { data: expect.anything() } });
  expect(again.body.warnings).toBeUndefined();
  expect((await ada.get(`/components/${saved.body.data.id}`)).body.data).not.toHaveProperty(
    "names",
  );
});

test.for([
  [
    "$.interface.htp",
    /props\.x\.type: must be .+, not \$\.interface\.htp: did you mean "\$\.interface\.http"\?/,
  ],
  ["$.interface.queue", /must be \$\.interface\.http or .+, not \$\.interface\.queue$/],
] as const)("rejects the prop type %s", async ([type, error]) => {
  const ada = await signUp();
  const component_code = `export default { name: "A", version: "1", props: { x: "${type}" }, run() {} };`;
  expect(await ada.post("/components", { component_code })).toMatchObject({
    status: 422,
    body: { code: "invalid_component", error: expect.stringMatching(error) },
  });
});

test("keeps an unknown service, and warns about it", async () => {
  const ada = await signUp();
  const component_code = `export default { name: "A", version: "1", props: { x: "$.service.bd" }, run() {} };`;
  const saved = await ada.post("/components", { component_code });
  expect(saved.status).toBe(200);
  expect(saved.body.warnings).toEqual([
    'props.x.type: "$.service.bd" is not a known type, so its values are not checked: did you mean "$.service.db"?',
  ]);
});

test("additionalProps may use the same interfaces only", async () => {
  const ada = await signUp();
  const component_code = `export default { name: "A", version: "1",
    additionalProps: () => ({ x: { type: "$.interface.tmer" } }), run() {} };`;
  const refused = await ada.post("/sources", { component_code });
  expect(refused.status).toBeGreaterThanOrEqual(400);
  expect(refused.body.error).toContain('did you mean "$.interface.timer"?');
});

test.for([
  ["sharp", "jimp"],
  ["better-sqlite3", "a database over the network"],
  ["canvas", "an HTTP API that draws"],
  ["bcrypt@5", "bcryptjs"],
  ["sqlite3", "a database over the network"],
])("rejects the native package %s by name", async ([specifier = "", instead = ""]) => {
  const ada = await signUp();
  const component_code = `import native from "${specifier}";
    export default { name: "A", version: "1", run() { native(); } };`;
  const [name] = specifier.split("@");
  expect(await ada.post("/components", { component_code })).toMatchObject({
    status: 422,
    body: {
      code: "invalid_component",
      error: expect.stringContaining(
        `The package "${name}" needs native code, which cannot be done here: use ${instead} instead`,
      ),
      details: { issues: [{ file: "component.js", line: 1 }] },
    },
  });
});

test.for([
  ["props: []", "props: must be an object of props by name, not a list"],
  [
    'type: "action", dedupe: "unique"',
    "dedupe: has no effect, as an action's events are not deduplicated",
  ],
])("warns about a component with %s", async ([members = "", warning]) => {
  const ada = await signUp();
  const component_code = `export default { name: "Odd", version: "1", ${members}, run() {} };`;
  const saved = await ada.post("/components", { component_code });
  expect(saved).toMatchObject({ status: 200, body: { warnings: [warning] } });
});

test.for([
  ['props: "a"', "props: must be an object of props by name, not a string"],
  ["props: 5", "props: must be an object of props by name, not a number"],
  ["hooks: { deploy: 5 }", "hooks.deploy: must be a function"],
  ['hooks: { async activate() {}, deactivate: "x" }', "hooks.deactivate: must be a function"],
  ["hooks: []", "hooks: must be an object of functions"],
])("refuses a component with %s", async ([members = "", message]) => {
  const ada = await signUp();
  const component_code = `export default { name: "Odd", version: "1", ${members}, run() {} };`;
  const refused = await ada.post("/components", { component_code });
  expect(refused).toMatchObject({
    status: 400,
    body: { code: "invalid_input", error: message },
  });
});
