import { expect, test } from "vitest";

import { newId } from "#domain/ids.ts";

import { signUp } from "../support/client.ts";
import { open } from "../support/deploy.ts";

const NOBODY = { sourceId: "", runId: "", props: "{}", endpoints: {}, db: {}, additional: "" };

const ENDLESS = `export default {
  name: "Endless", version: "1", run() {},
  props: { list: { type: "string", options: () => new Promise((resolve) => setTimeout(resolve, 60000)) } },
  additionalProps: () => new Promise((resolve) => setTimeout(resolve, 60000)),
};`;

test.for([{ kind: "props" }, { kind: "options", prop: "list", input: "{}" }] as const)(
  "a component that does not finish by its deadline is given up %#",
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
  ["returns what is no text", `JSON.stringify = () => 7;`],
  ["returns text that is no JSON", `JSON.stringify = () => "{";`],
  ["returns something else", `JSON.stringify = () => '{"name":1}';`],
  ["fails even to fail", `JSON.stringify = () => { throw { get message() { throw 1; } }; };`],
] as const)(
  "a component that tampers with its isolate and %s is refused",
  async ([, tampering]) => {
    const ada = await signUp();
    const component_code = `${tampering} export default { name: "Tampering", version: "1", run() {},
    props: { list: { type: "string", options: () => [] } }, additionalProps: () => ({}) };`;
    // What the harness has in hand when the module is loaded is its own, and each evaluation has an isolate of its own.
    const saved = await ada.post("/components", { component_code });
    for (const answer of [saved, await ada.post("/components", { component_code })])
      expect(answer).toMatchObject({ status: 200, body: { data: { name: "Tampering" } } });
    for (const path of ["options", "props"])
      expect(
        await ada.post(`/components/${saved.body.data.id}/${path}`, { prop_name: "list" }),
      ).toMatchObject({ status: 422, body: { error: expect.any(String) } });
  },
);
