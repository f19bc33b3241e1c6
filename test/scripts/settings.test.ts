import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { holdState } from "../../tools/scripts/local/lock.ts";
import { readSettings } from "../../tools/scripts/local/settings.ts";

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
  ["SANDBOXES", "two"],
  ["SANDBOX_MEMORY", "1g"],
] as const)("rejects %s=%s, names the setting, and writes no file", async ([name, value]) => {
  const state = await newState();
  const read = readSettings({ ...process.env, STATE_DIR: state, [name]: value });
  await expect(read).rejects.toThrow(`${name} must be a whole number, not "${value}".`);
  expect(await readdir(state)).toEqual([]);
});

test.for([
  ["LOG_LEVEL", "verbose", "debug, info, warn, error or silent"],
  ["ALLOW_PRIVATE_TARGETS", "yes", "true or false"],
  ["EVENT_LINES", "1", "true or false"],
  ["TRACE_SAMPLE_RATE", "half", "a number from 0 to 1"],
] as const)("rejects %s=%s, and lists the valid values", async ([name, value, values]) => {
  const state = await newState();
  const read = readSettings({ ...process.env, STATE_DIR: state, [name]: value });
  await expect(read).rejects.toThrow(`${name} must be ${values}, not "${value}".`);
  expect(await readdir(state)).toEqual([]);
});

test.for(["ADMIN_TOKEN", "METRICS_TOKEN"])(
  "rejects a short %s, also in the state folder, and writes nothing",
  async (name) => {
    const state = await newState();
    const given = { ...process.env, STATE_DIR: state, PORT: "0" };
    const rule = `${name} must have at least 8 characters`;
    await expect(readSettings({ ...given, [name]: "seven77" })).rejects.toThrow(rule);
    expect(await readdir(state)).toEqual([]);
    await writeFile(join(state, "secrets.env"), `${name}=seven77\n`);
    await expect(readSettings(given)).rejects.toThrow(rule);
    const { variables } = await readSettings({ ...given, [name]: "eight888" });
    expect(variables[name]).toBe("eight888");
  },
);

test.for([
  [{ CF_ACCESS_TEAM_DOMAIN: "acme.cloudflareaccess.com" }, "must be set together"],
  [{ CF_ACCESS_AUD: "9c8a7b" }, "must be set together"],
  [
    { CF_ACCESS_TEAM_DOMAIN: "http://acme.cloudflareaccess.com", CF_ACCESS_AUD: "9c8a7b" },
    "must be a domain with https",
  ],
] as const)("rejects the settings %o for Cloudflare Access: it %s", async ([given, rule]) => {
  const read = readSettings({ ...process.env, STATE_DIR: await newState(), ...given });
  await expect(read).rejects.toThrow(rule);
});

test("numbers are used unchanged, and port 0 becomes a free one", async () => {
  const state = await newState();
  const given = { ...process.env, STATE_DIR: state, PORT: "0", RATE_LIMIT: "25" };
  const { port, variables } = await readSettings(given);
  expect(port).toBeGreaterThan(0);
  expect(variables["RATE_LIMIT"]).toBe("25");
});

test("by default there is a sandbox process for each core but one, else the set number and size", async () => {
  const given = { ...process.env, STATE_DIR: await newState(), PORT: "0", SANDBOXES: "" };
  const byDefault = await readSettings(given);
  expect(byDefault.sandboxes).toBe(Math.max(1, availableParallelism() - 1));
  expect(byDefault.sandboxMemory).toBe(512 * 2 ** 20);
  expect((await readSettings({ ...given, SANDBOXES: "0" })).sandboxes).toBe(0);
  const { sandboxes, sandboxMemory } = await readSettings({
    ...given,
    SANDBOXES: "3",
    SANDBOX_MEMORY: "200",
  });
  expect([sandboxes, sandboxMemory]).toEqual([3, 200 * 2 ** 20]);
  await expect(readSettings({ ...given, SANDBOXES: "65" })).rejects.toThrow(
    'SANDBOXES must be at most 64, not "65".',
  );
  await expect(readSettings({ ...given, SANDBOX_MEMORY: "64" })).rejects.toThrow(
    'SANDBOX_MEMORY must be at least 128 megabytes, not "64".',
  );
});

test("endpoints have a separate origin if it is set, and a path is rejected", async () => {
  const given = { ...process.env, STATE_DIR: await newState(), PORT: "0" };
  const { variables } = await readSettings({ ...given, EVENTS_URL: "http://localhost:8787" });
  expect(variables["EVENTS_URL"]).toBe("http://localhost:8787");
  for (const name of ["PUBLIC_URL", "EVENTS_URL"])
    await expect(readSettings({ ...given, [name]: "http://localhost:8787/" })).rejects.toThrow(
      `${name} must be an origin without a path, not "http://localhost:8787/".`,
    );
});

test("only its user can open a state folder, also one of an earlier release", async () => {
  const made = join(await newState(), "state");
  const older = join(await newState(), "older");
  await mkdir(older, { mode: 0o755 });
  for (const folder of [made, older]) {
    holdState(folder);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  }
});
