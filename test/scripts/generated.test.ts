import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { generate } from "../../tools/scripts/local/generated.ts";

function newFolder() {
  const root = mkdtempSync(join(tmpdir(), "generated-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, "src"));
  const write = (name: string, text: string) => writeFileSync(join(root, name), text);
  write("src/input", "one");
  let runs = 0;
  const run = async () => {
    const files = { name: "copy", root, inputs: ["src", ".env"], outputs: ["output"] };
    await generate(files, async () => {
      runs += 1;
      write("output", "generated");
    });
    return runs;
  };
  return { root, write, run };
}

test("files are generated once from the same inputs", async () => {
  const { run } = newFolder();
  expect(await run()).toBe(1);
  expect(await run()).toBe(1);
});

test.each([
  ["an input changed", ({ write }: Folder) => write("src/input", "two")],
  ["an input was added to a folder", ({ write }: Folder) => write("src/more", "")],
  ["a missing input was created", ({ write }: Folder) => write(".env", "A=1")],
  ["an output was edited", ({ write }: Folder) => write("output", "edited")],
  ["an output was deleted", ({ root }: Folder) => rmSync(join(root, "output"))],
])("files are generated again after %s", async (_, change) => {
  const folder = newFolder();
  await folder.run();
  change(folder);
  expect(await folder.run()).toBe(2);
  expect(await folder.run()).toBe(2);
});

type Folder = ReturnType<typeof newFolder>;
