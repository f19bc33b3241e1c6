import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { ConfinedCode } from "../../tools/scripts/local/confined.ts";

async function newState(): Promise<string> {
  const stateDir = await mkdtemp(join(tmpdir(), "confined-"));
  onTestFinished(() => rm(stateDir, { recursive: true, force: true }));
  return stateDir;
}

test("confined targets survive a restart completely", async () => {
  const stateDir = await newState();
  const before = new ConfinedCode(stateDir);
  await Promise.all([before.confine("dc_1"), before.confine("dc_2"), before.confine("u_1/hash")]);
  expect(Object.keys(new ConfinedCode(stateDir).entries())).toEqual(["dc_1", "dc_2", "u_1/hash"]);
  expect(await readdir(stateDir)).toEqual(["confined.json"]);
});

test("a confinement ends after a day", async () => {
  const stateDir = await newState();
  const file = { dc_1: Date.now() - 1, dc_2: Date.now() + 60_000 };
  await writeFile(join(stateDir, "confined.json"), JSON.stringify(file));
  expect(Object.keys(new ConfinedCode(stateDir).entries())).toEqual(["dc_2"]);
});

test.for(["", "{", "null", "[1]", '{"dc_1":"soon"}'])(
  "a file of %j confines nothing, and is replaced",
  async (text) => {
    const stateDir = await newState();
    await writeFile(join(stateDir, "confined.json"), text);
    const confined = new ConfinedCode(stateDir);
    await confined.confine("dc_1");
    expect(Object.keys(confined.entries())).toContain("dc_1");
    expect(Object.keys(new ConfinedCode(stateDir).entries())).toContain("dc_1");
  },
);

test("with an unwritable file, code is confined until a restart", async () => {
  const stateDir = join(await newState(), "missing");
  const confined = new ConfinedCode(stateDir);
  await expect(confined.confine("dc_1")).rejects.toThrow("ENOENT");
  expect(Object.keys(confined.entries())).toEqual(["dc_1"]);
});
