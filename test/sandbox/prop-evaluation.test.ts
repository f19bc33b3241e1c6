import { expect, test } from "vitest";

import { newId } from "#domain/ids.ts";

import { signUp } from "../support/client.ts";
import { open } from "../support/deploy.ts";

const NOBODY = { sourceId: "", props: "{}", endpoints: {}, db: {}, additional: "" };

const ENDLESS = `export default {
  name: "Endless", version: "1", run() {},
  props: { list: { type: "string", options: () => new Promise((resolve) => setTimeout(resolve, 60000)) } },
  additionalProps: () => new Promise((resolve) => setTimeout(resolve, 60000)),
};`;

test.for([{ kind: "props" }, { kind: "options", prop: "list", input: "{}" }] as const)(
  "an evaluation without a result at its deadline fails %#",
  async (query) => {
    const code = await open(ENDLESS, newId("user"));
    const request = { ...query, instance: NOBODY, deadlineMs: 50, previous: "[]" };
    expect(await code.evaluateProps(request)).toMatchObject({
      ok: false,
      failure: { name: "DeadlineExceeded", message: "The component did not finish within 0.05 s" },
    });
  },
);

test.for([
  ["returns a number", `JSON.stringify = () => 7;`],
  ["returns invalid JSON", `JSON.stringify = () => "{";`],
  ["returns something else", `JSON.stringify = () => '{"name":1}';`],
  [
    "throws an unreadable error",
    `JSON.stringify = () => { throw { get message() { throw 1; } }; };`,
  ],
] as const)("rejects a component that tampers with its isolate and %s", async ([, tampering]) => {
  const ada = await signUp();
  const component_code = `${tampering} export default { name: "Tampering", version: "1", run() {},
    props: { list: { type: "string", options: () => [] } }, additionalProps: () => ({}) };`;
  // The harness keeps its functions from before the module's load, and each evaluation has its own isolate.
  const saved = await ada.post("/components", { component_code });
  for (const answer of [saved, await ada.post("/components", { component_code })])
    expect(answer).toMatchObject({ status: 200, body: { data: { name: "Tampering" } } });
  for (const path of ["options", "props"])
    expect(
      await ada.post(`/components/${saved.body.data.id}/${path}`, { prop_name: "list" }),
    ).toMatchObject({ status: 422, body: { error: expect.any(String) } });
});
