import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { readSettings } from "../../scripts/local/settings.ts";

async function newState(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "settings-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

test.for([
  ["PORT", "http"],
  ["PORT", "-1"],
  ["RATE_LIMIT", "1k"],
  ["RATE_LIMIT", "12.5"],
] as const)("%s=%s is refused by its name, and leaves nothing behind", async ([name, value]) => {
  const state = await newState();
  const read = readSettings({ ...process.env, STATE_DIR: state, [name]: value });
  await expect(read).rejects.toThrow(`${name} must be a whole number, not "${value}".`);
  expect(await readdir(state)).toEqual([]);
});

test("numbers are taken as they are, and any port is a free one", async () => {
  const state = await newState();
  const given = { ...process.env, STATE_DIR: state, PORT: "0", RATE_LIMIT: "25" };
  const { port, variables } = await readSettings(given);
  expect(port).toBeGreaterThan(0);
  expect(variables["RATE_LIMIT"]).toBe("25");
});
