import { gzipSync } from "node:zlib";

import { packTar } from "modern-tar";

import type { Caller } from "../../scripts/api.ts";
import { type Call, callAs, until } from "./api.ts";

/** A collection of two components, of which one lacks a file. */
const FILES = {
  "orchard/package.json": `{"name": "orchard", "license": "MIT"}`,
  "orchard/components/orchard/sources/picked/picked.mjs": `export default {
    key: "orchard-picked", name: "Basket picked", version: "1.0.0", type: "source",
    props: { http: "$.interface.http" }, run({ body }) { this.$emit(body); } };`,
  "orchard/components/orchard/sources/pressed/pressed.mjs": `import press from "./press.mjs";
    export default { key: "orchard-pressed", name: press, version: "1.0.0", type: "source", run() {} };`,
};

/** Import a collection of components into the registry. Returns the id of the import. */
export async function importCollection(operator: Caller): Promise<string> {
  const operate = callAs(operator);
  const { id } = await operate("POST", "/registry/imports", {});
  const entries = Object.entries(FILES).map(([name, body]) => {
    return { header: { name, size: Buffer.byteLength(body), type: "file" as const }, body };
  });
  const path = `${operator.url}/registry/imports/${id}/archive`;
  const response = await fetch(path, {
    method: "PUT",
    headers: { authorization: `Bearer ${operator.apiKey}`, "content-type": "application/gzip" },
    body: gzipSync(await packTar(entries)),
  });
  if (!response.ok)
    throw new Error(`${path} returned ${response.status}: ${await response.text()}`);
  const state = async () => (await operate("GET", `/registry/imports/${id}`)).state;
  await until(async () => (await state()) === "ended", "the collection was imported");
  return String(id);
}

/** A data store with the stock of the shelves. Returns its id. */
export async function fillShelves(call: Call): Promise<string> {
  const { id } = await call("POST", "/data_stores", { name: "Shelves" });
  for (const [key, level] of Object.entries({ "shelf-a": 36, "shelf-b": 112, "shelf-c": 8 }))
    await call("PUT", `/data_stores/${id}/records/${key}`, { value: { level, unit: "box" } });
  return String(id);
}
