import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";

import { connect } from "#db/client.ts";
import { components } from "#db/schema/tables.ts";
import { sha256Hex } from "#domain/hash.ts";
import { newId } from "#domain/ids.ts";
import { EMPTY_LOCKFILE } from "#domain/lockfile.ts";
import { type CodeMaintenance, openCodeMaintenance } from "#sandbox/code-maintenance.ts";
import { openCodeStore } from "#sandbox/code-store.ts";
import { clearCode } from "#services/maintenance/code.ts";

import { operator, signUp } from "../../support/client.ts";
import { DAY, platformIn, runToTheEnd } from "../../support/sweeping.ts";
import { code as stepCode, deployWorkflow } from "../../support/workflow.ts";

const bucket = env.SWEPT_CODE;
const store = openCodeStore(bucket);

beforeEach(async () => {
  const { objects } = await bucket.list();
  await bucket.delete(objects.map(({ key }) => key));
  await env.DB.prepare("DELETE FROM unused_code").run();
  // An unchecked workflow may use any code; other tests leave some behind.
  await env.DB.prepare(
    "UPDATE workflows SET code_checked_at = NULL WHERE code_checked_at = 0",
  ).run();
});

/** Sweep the whole store on a day from today. */
const sweepOn = (day: number, codeMaintenance: CodeMaintenance = openCodeMaintenance(bucket)) =>
  runToTheEnd(() => clearCode({ ...platformIn(day * DAY), codeMaintenance }), ["code"]);

const names = async () => (await bucket.list()).objects.map(({ key }) => key);

/** A bundle with its code and a set of packages, as a deployment uploads them. */
async function upload(text: string = newId("component")) {
  const [hash, codeHash, packages] = await Promise.all(
    ["bundle", "code", "packages"].map((kind) => sha256Hex(kind + text)),
  );
  const bundle = {
    hash: hash ?? "",
    code: text,
    map: "{}",
    dependencies: { hash: packages ?? "", modules: {} },
    lockfile: EMPTY_LOCKFILE,
  };
  const put = async () => {
    await store.putCode(codeHash ?? "", text);
    await store.putBundle(bundle);
    await bucket.put(
      `dependencies/${packages}`,
      JSON.stringify({ modules: { a: text }, entries: {} }),
    );
  };
  await put();
  const files = [`bundles/${hash}`, `code/${codeHash}`, `dependencies/${packages}`];
  return { hash: hash ?? "", codeHash: codeHash ?? "", files, text, put };
}

type Uploaded = Awaited<ReturnType<typeof upload>>;

async function save({ hash, codeHash }: Uploaded): Promise<void> {
  const owner = newId("user");
  await connect(env.DB)
    .insert(components)
    .values({
      id: newId("component"),
      ownerId: owner,
      userId: owner,
      key: null,
      name: "c",
      version: "0.0.1",
      codeHash,
      bundleHash: hash,
      url: null,
      definition: {
        type: "source",
        name: "c",
        version: "0.0.1",
        props: [],
        hooks: [],
        runs: true,
        dynamic: false,
      },
      createdAt: 0,
      updatedAt: 0,
    });
}

const retired = ({ files }: Uploaded) => files.map((name) => `retired/${name}`);

test("deletes unused code in two steps, a week each", async () => {
  const unused = await upload();
  for (const day of [0, 6, 8, 9, 14]) await sweepOn(day);
  expect(await names()).toEqual(unused.files);

  expect(await sweepOn(16)).toBe(2);
  // The packages are in use until the bundle is deleted for good.
  expect(await names()).toEqual([unused.files[2], ...retired(unused).slice(0, 2)]);
  expect(await store.code(unused.codeHash)).toBe(unused.text);
  expect((await store.bundle(unused.hash))?.dependencies.modules).toEqual({ a: unused.text });

  await sweepOn(24);
  expect(await store.bundle(unused.hash)).toBeUndefined();
  expect(await names()).toEqual([unused.files[2]]);
  for (const day of [25, 33, 34, 42]) await sweepOn(day);
  expect(await names()).toEqual([]);
});

test("keeps or deletes all files of a large set of packages", async () => {
  const used = await upload();
  const part = `${used.files[2]}.1`;
  await bucket.put(part, JSON.stringify({ b: "more" }));
  const gone = `dependencies/${"0".repeat(64)}.1`;
  await bucket.put(gone, "{}");
  await save(used);
  for (const day of [0, 8, 9, 16]) await sweepOn(day);
  expect(await names()).toEqual([...used.files, part, `retired/${gone}`].toSorted());
  expect(await store.packages(used.files[2]?.split("/")[1] ?? "")).toEqual({ a: used.text });
  for (const day of [24, 32]) await sweepOn(day);
  expect(await names()).toEqual([...used.files, part]);
});

test("never deletes code in use by a source, a registry or a workflow", async () => {
  const ada = await signUp();
  const sourceCode = `export default { name: "S", version: "0.0.1", run() {}, mark: "${newId("source")}" }`;
  const source = (await ada.post("/sources", { component_code: sourceCode })).body.data;
  const published = `export default { key: "k-${Date.now()}", name: "P", version: "1.0.0", run() {} }`;
  await operator.post("/registry", { component_code: published });
  const inline = stepCode(`return "${newId("workflow")}"`);
  const flow = await deployWorkflow({ steps: [{ name: "one", component_code: inline }] });

  const hashes = async () => {
    const { results } = await env.DB.prepare(
      `SELECT bundle_hash AS bundle, code_hash AS code FROM components WHERE id = ?1 OR name = 'P'`,
    )
      .bind(source.component_id)
      .all<{ bundle: string; code: string }>();
    const steps = await env.DB.prepare("SELECT hash FROM workflow_code WHERE workflow_id = ?")
      .bind(flow.id)
      .all<{ hash: string }>();
    const [bundleOfStep, codeOfStep] = [steps.results, await sha256Hex(inline)];
    const bundles = bundleOfStep.map(({ hash }) => hash).filter((hash) => hash !== codeOfStep);
    return {
      bundles: [...results.map(({ bundle }) => bundle), ...bundles],
      code: [...results.map(({ code }) => code), codeOfStep],
    };
  };
  const used = await hashes();
  const files = [
    ...new Set([
      ...used.bundles.map((hash) => `bundles/${hash}`),
      ...used.code.map((hash) => `code/${hash}`),
    ]),
  ].toSorted();
  expect(files.length).toBeGreaterThanOrEqual(6);
  for (const file of files) await bucket.put(file, JSON.stringify({ dependencies: "" }));
  for (const day of [0, 8, 16, 24, 32]) await sweepOn(day);
  expect(await names()).toEqual(files);

  await operator.delete(`/workflows/${flow.id}`);
  for (const day of [40, 48, 56]) await sweepOn(day);
  expect(files.length - (await names()).length).toBe(2);
});

test("keeps packages as long as a bundle needs them, even one of an older release", async () => {
  const [ours, older] = [await upload(), await upload()];
  const stored = (await (await bucket.get(`bundles/${older.hash}`))?.text()) ?? "";
  expect(stored).not.toBe("");
  await bucket.put(`bundles/${older.hash}`, stored);
  for (const each of [ours, older]) await save(each);
  for (const day of [0, 8, 16, 24, 32]) await sweepOn(day);
  expect(await names()).toEqual([...ours.files, ...older.files].toSorted());
});

test("restores code that is deployed again during its deletion", async () => {
  const again = await upload();
  const maintenance = openCodeMaintenance(bucket);
  await sweepOn(8);
  // The deployment uploads its files after the sweep's decision and before the deletion.
  await sweepOn(16, {
    ...maintenance,
    retire: async (name, at) => {
      await again.put();
      await maintenance.retire(name, at);
    },
  });
  expect(await names()).toEqual(expect.arrayContaining(retired(again).slice(0, 2)));
  await save(again);
  expect((await store.bundle(again.hash))?.code).toBe(again.text);
  for (const day of [16, 24, 32, 40]) await sweepOn(day);
  expect(await names()).toEqual(again.files);
  expect((await store.bundle(again.hash))?.dependencies.modules).toEqual({ a: again.text });
});

test("uploading code again restarts its time limit", async () => {
  const again = await upload();
  await sweepOn(8);
  const maintenance = openCodeMaintenance(bucket);
  const uploadedOnDay15: CodeMaintenance = {
    ...maintenance,
    page: async (...args) => {
      const { files, isLast } = await maintenance.page(...args);
      const later = files.map((file) => ({ ...file, since: file.since + 15 * DAY }));
      return { files: later, isLast };
    },
  };
  for (const day of [16, 21]) await sweepOn(day, uploadedOnDay15);
  expect(await names()).toEqual(again.files);
  await sweepOn(23, uploadedOnDay15);
  expect(await names()).toEqual(again.files);
  await sweepOn(31, uploadedOnDay15);
  expect(await names()).toContain(retired(again)[0]);
});

test("concurrent sweeps over many files work like one over few", async () => {
  const unused = [];
  for (let count = 0; count < 45; count += 1) unused.push(await upload());
  const kept = await upload();
  await save(kept);
  await sweepOn(8);
  await Promise.all([sweepOn(16), sweepOn(16)]);
  await sweepOn(16);
  const left = await names();
  expect(left.filter((name) => name.startsWith("retired/"))).toHaveLength(90);
  expect(left.filter((name) => name.startsWith("bundles/"))).toEqual([kept.files[0]]);
});

test("keeps tarballs for a month", async () => {
  await bucket.put("tarballs/sha512-x", "x");
  for (const day of [0, 8, 29]) await sweepOn(day);
  expect(await names()).toEqual(["tarballs/sha512-x"]);
  await sweepOn(31);
  expect(await names()).toEqual([]);
});
