import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, test } from "vitest";

import { program } from "../../packages/cli/src/program.ts";

const README = join(import.meta.dirname, "../../packages/cli/README.md");

test("the README of the command line lists every command, and no other", async () => {
  const text = await readFile(README, "utf8");
  const cells = [...text.matchAll(/^\| (`.*?) +\|/gm)].map(([, cell = ""]) => cell);
  const listed = cells.flatMap((cell) => cell.match(/(?<=`)[a-z]+/g) ?? []);
  const commands = program().commands.map((command) => command.name());
  expect(listed.toSorted()).toEqual(commands.toSorted());
});
