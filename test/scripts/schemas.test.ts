import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";

import { readDefinition } from "#domain/parse-definition.ts";

import { COMPONENTS, WORKFLOWS } from "../support/schema-documents.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string) => readFile(join(ROOT, path), "utf8");
const served = async (name: string) => JSON.parse(await read(`docs/schemas/${name}.json`));

/** Strict about the schema itself: an unknown keyword throws. */
const ajv = new Ajv2020({
  strict: true,
  strictTypes: false,
  strictRequired: false,
  allErrors: true,
});
const isWorkflow = ajv.compile(await served("workflow"));
const isComponent = ajv.compile(await served("component"));

/** The document after a round trip through JSON. */
const asFile = (fields: object) => JSON.parse(JSON.stringify(fields));

test("the stored schemas equal the output of `npm run schemas`", async () => {
  const folder = await mkdtemp(join(tmpdir(), "schemas-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const script = join(ROOT, "tools/scripts/schemas.ts");
  const flags = ["--disable-warning=ExperimentalWarning"];
  await promisify(execFile)(process.execPath, [...flags, script, "--folder", folder]);
  for (const name of ["workflow", "component"]) {
    const made = await readFile(join(folder, `${name}.json`), "utf8");
    expect(JSON.parse(made)).toEqual(await served(name));
  }
});

test.for(WORKFLOWS)("the schema of workflows treats $what as $expected", ({ fields, expected }) => {
  const isValid = isWorkflow(asFile(fields));
  const { errors } = isWorkflow;
  expect({ isValid, errors }).toMatchObject({ isValid: expected !== "refused" });
});

test.for(COMPONENTS)(
  "the schema of components treats $what as $expected",
  ({ fields, expected }) => {
    const isValid = isComponent(asFile(fields));
    const { errors } = isComponent;
    expect({ isValid, errors }).toMatchObject({ isValid: expected !== "refused" });
    expect(Array.isArray(readDefinition(JSON.stringify(fields)))).toBe(expected !== "accepted");
  },
);

test("every workflow of the folder names the schema, and is valid", async () => {
  const files = (await readdir(join(ROOT, "workflows"))).filter((file) =>
    /\.(json|ya?ml)$/.test(file),
  );
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) {
    const text = await read(`workflows/${file}`);
    const named = /(?:"\$schema": "|^# yaml-language-server: \$schema=)([^"\n]+)/.exec(text)?.[1];
    expect([file, named]).toEqual([file, "../docs/schemas/workflow.json"]);
    expect([file, isWorkflow(parse(text)), isWorkflow.errors]).toEqual([file, true, null]);
  }
});

test("every workflow in the documentation names the schema, and is valid", async () => {
  const text = await read("docs/workflows.md");
  const yaml = [...text.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, block = ""]) => block);
  const json = [...text.matchAll(/-d '(\{[\s\S]*?\})'\n/g)].map(([, block = ""]) => block);
  expect([yaml.length, json.length]).toEqual([1, 1]);
  for (const block of [...yaml, ...json]) {
    expect(block).toMatch(/\$schema(?:=|": ")http:\/\/127\.0\.0\.1:8787\/schemas\/workflow\.json/);
    expect([isWorkflow(parse(block)), isWorkflow.errors]).toEqual([true, null]);
  }
});
