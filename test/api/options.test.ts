import { expect, test } from "vitest";

import { signUp } from "../support/client.ts";
import { newStore } from "../support/data-store.ts";

async function saved(component_code: string) {
  const ada = await signUp();
  const { id } = (await ada.post("/components", { component_code })).body.data;
  const options = (prop_name: string, rest: object = {}) =>
    ada.post(`/components/${id}/options`, { prop_name, ...rest });
  return { ada, options };
}

test("options that override a propDefinition's have its app as this, with the component's props", async () => {
  const { options } = await saved(`
    const sheets = { type: "app", app: "sheets",
      propDefinitions: { sheet: { type: "string", options: () => ["theirs"] } },
      methods: { list(drive) { return [this.app, drive]; } } };
    export default {
      name: "Rows", version: "1", run() {},
      props: { sheets, drive: { type: "string", optional: true }, sheet: {
        propDefinition: [sheets, "sheet", ({ drive }) => ({ drive })],
        options({ drive }) { return [...this.list(drive), this.sheets.app, this.drive]; },
      } },
    };`);
  const { body } = await options("sheet", { configured_props: { drive: "d1" } });
  expect(body.data.options).toEqual(["sheets", "d1", "sheets", "d1"].map(labelled));
});

test("a propDefinition passes usable data stores to its options", async () => {
  const { ada, options } = await saved(`
    const app = { type: "app", app: "stores",
      propDefinitions: { key: { type: "string", options: ({ store }) => store.keys() } } };
    export default {
      name: "Keys", version: "1", run() {},
      props: { app, store: { type: "data_store" }, key: {
        propDefinition: [app, "key", ({ store }) => ({ store })],
      } },
    };`);
  const path = await newStore(ada);
  await ada.put(`${path}/records/one`, { value: 1 });
  const { body } = await options("key", { configured_props: { store: path.split("/").at(-1) } });
  expect(body.data.options).toEqual([labelled("one")]);
});

function labelled(value: string) {
  return { label: value, value };
}
