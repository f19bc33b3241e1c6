import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { commitOf } from "../../tools/scripts/local/commit.ts";

const COMMIT = "52d489fc0d8d7e6ac3d3d2b1e4f8e4f3a1b2c3d4";

async function folderOf(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "commit-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

test.for([
  ["a checked-out commit", { ".git/HEAD": `${COMMIT}\n` }],
  ["a branch", { ".git/HEAD": "ref: refs/heads/main\n", ".git/refs/heads/main": `${COMMIT}\n` }],
  [
    "a packed branch",
    {
      ".git/HEAD": "ref: refs/heads/main\n",
      ".git/packed-refs": `# pack-refs with: peeled\n${"0".repeat(40)} refs/heads/x/refs/heads/main2\n${COMMIT} refs/heads/main\n`,
    },
  ],
  ["a package", { "package.json": JSON.stringify({ gitHead: COMMIT }) }],
] as const)("the commit of %s is read without git", async ([, files]) => {
  expect(commitOf(await folderOf(files))).toBe("52d489fc0d8d");
});

test("the commit of a worktree is that of its branch in the clone", async () => {
  const clone = await folderOf({
    ".git/worktrees/other/HEAD": "ref: refs/heads/other\n",
    ".git/worktrees/other/commondir": "../..\n",
    ".git/refs/heads/other": `${COMMIT}\n`,
  });
  const worktree = await folderOf({ ".git": `gitdir: ${clone}/.git/worktrees/other\n` });
  expect(commitOf(worktree)).toBe("52d489fc0d8d");
});

test.for([
  ["an archive of the sources", { "package.json": "{}" }],
  ["an empty clone", { ".git/HEAD": "ref: refs/heads/main\n" }],
] as const)("the commit of %s is unknown", async ([, files]) => {
  expect(commitOf(await folderOf(files))).toBeUndefined();
});
