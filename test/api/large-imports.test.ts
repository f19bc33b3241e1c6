// @suites release

import { expect, test } from "vitest";

import { operator, signUp } from "../support/client.ts";
import { collection, imported } from "../support/imports.ts";

test("imports large files that many components share with each of them", async () => {
  const mark = crypto.randomUUID().slice(0, 8);
  const files: Record<string, string> = {};
  // One RPC carries 32 MiB, and each of the components has 1 MB.
  for (let part = 0; part < 2; part += 1)
    files[`components/shop/common/part-${part}.mjs`] =
      `export const length = "${"x".repeat(500_000)}".length;`;
  for (let n = 0; n < 40; n += 1)
    files[`components/shop/actions/do-${n}/do-${n}.mjs`] = `
      import { length as one } from "../../common/part-0.mjs";
      import { length as other } from "../../common/part-1.mjs";
      export default { key: "l${mark}-do-${n}", name: "Do ${n}", version: "0.1.0", type: "action",
        run() { return one + other; } };`;
  expect(await imported(files)).toMatchObject({ state: "ended", counts: { published: 40 } });
});

test("rejects a component with too many files, and imports the others", async () => {
  const mark = crypto.randomUUID().slice(0, 8);
  const files = collection(mark);
  const large = Array.from({ length: 6 }, (_, n) => n);
  for (const n of large)
    files[`collection-main/components/shop/common/large-${n}.mjs`] =
      `export default "${"x".repeat(900_000)}";`;
  files["collection-main/components/shop/actions/large/large.mjs"] = large
    .map((n) => `import l${n} from "../../common/large-${n}.mjs";`)
    .join("\n");
  const many = Array.from({ length: 200 }, (_, n) => n);
  for (const n of many)
    files[`collection-main/components/shop/common/small-${n}.mjs`] = `export default ${n};`;
  files["collection-main/components/shop/actions/many/many.mjs"] = many
    .map((n) => `import s${n} from "../../common/small-${n}.mjs";`)
    .join("\n");
  const { id, counts } = await imported(files);
  expect(counts).toMatchObject({ published: 2, failed: 4 });
  const { body } = await operator.get(`/registry/imports/${id}/components?state=failed`);
  const messages = body.data.map(({ message }: { message: string }) => message);
  expect(messages).toContain("The component's files are larger than 5242880 characters");
  expect(messages).toContain("The component has more than 200 files");
});

test("skips a file with a path that is too long for a row", async () => {
  const mark = crypto.randomUUID().slice(0, 8);
  const files = collection(mark);
  const folder = "deep/".repeat(120);
  files[`collection-main/components/shop/actions/${folder}deep.mjs`] =
    `export default { key: "shop${mark}-deep", name: "Deep", version: "1.0.0", type: "action", run() {} };`;
  expect(await imported(files)).toMatchObject({ state: "ended", total: 4 });
});

test("imports more components than one step handles", async () => {
  const mark = crypto.randomUUID().slice(0, 8);
  const files: Record<string, string> = {};
  for (let n = 0; n < 120; n += 1) {
    const app = `app_${n % 7}`;
    files[`x/components/${app}/${app}.app.mjs`] = `export default { type: "app", app: "${app}" };`;
    files[`x/components/${app}/actions/do-${n}/do-${n}.mjs`] = `
      import app from "../../${app}.app.mjs";
      export default { key: "g${mark}-do-${n}", name: "Do ${n}", version: "0.1.0", type: "action",
        props: { app }, run() { return ${n}; } };`;
  }
  expect(await imported(files)).toMatchObject({
    state: "ended",
    total: 120,
    counts: { published: 120 },
  });
  const ada = await signUp();
  const found = await ada.get(`/components/registry/g${mark}-do-119`);
  expect(found.body.data.configurable_props).toMatchObject([{ type: "app", app: "app_0" }]);
});
