import { expect } from "vitest";

import { archiveOf } from "./archive.ts";
import { operator } from "./client.ts";

/** A typical published collection, with unique keys. */
export function collection(mark: string, version = "1.0.0"): Record<string, string> {
  return {
    "collection-main/package.json": `{"name": "collection", "license": "MIT"}`,
    "collection-main/components/shop/shop.app.mjs": `
      import client from "no-such-client-${mark}";
      export default {
        type: "app",
        app: "shop",
        methods: { key() { return this.$auth.api_key; }, client: () => client() },
      };`,
    "collection-main/components/shop/common/names.mjs": `export const name = "New Order";`,
    "collection-main/components/shop/sources/new-order/new-order.mjs": `
      import shop from "../../shop.app.mjs";
      import { name } from "../../common/names.mjs";
      export default {
        key: "shop${mark}-new-order", name, version: "${version}", type: "source",
        props: { shop, limit: { type: "integer", default: 5 } },
        run(event) { this.$emit(event); },
      };`,
    "collection-main/components/shop/actions/greet/greet.mjs": `
      import { name } from "../../common/names.mjs";
      export default {
        key: "shop${mark}-greet", name: "Greet", version: "${version}", type: "action",
        props: { who: "string" },
        run() { return \`Hello \${this.who}, \${name}\`; },
      };`,
    "collection-main/components/shop/actions/broken/broken.mjs": `
      export default { key: "shop${mark}-broken", version: "1.0.0", name: ;`,
    "collection-main/components/shop/actions/lost/lost.mjs": `
      import gone from "../../gone.mjs";
      export default { key: "shop${mark}-lost", name: gone, version: "1.0.0", run() {} };`,
    "collection-main/docs/picture.png": "\u0000",
  };
}

/** Import files into the global registry. Returns the import when it has ended. */
export async function imported(files: Record<string, string>, timeoutMs?: number) {
  const { body } = await operator.post("/registry/imports", {});
  const { id } = body.data;
  await upload(id, await archiveOf(files));
  return ended(id, timeoutMs);
}

/** Send the archive of an import. */
export async function upload(id: string, archive: Uint8Array<ArrayBuffer>): Promise<void> {
  const uploaded = await operator.put(`/registry/imports/${id}/archive`, archive, {
    "content-length": String(archive.length),
  });
  expect(uploaded).toMatchObject({ status: 200, body: { data: { id } } });
}

/** Wait for the end of an import. */
export async function ended(id: string, timeout = 50_000) {
  const read = async () => (await operator.get(`/registry/imports/${id}`)).body.data;
  await expect
    .poll(async () => (await read()).state, { timeout, interval: 100 })
    .toMatch(/ended|failed/);
  return read();
}
