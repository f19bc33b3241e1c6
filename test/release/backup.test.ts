// @runs first

import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv, promisify } from "node:util";

import { Webhook } from "standardwebhooks";
import { beforeAll, expect, onTestFinished, test } from "vitest";

import { call, type DeployedSource, endpointOf, eventsOf } from "../../tools/scripts/api.ts";
import { dumpDatabase, dumpedFiles } from "../../tools/scripts/backup/dump.ts";
import { openNewLocal } from "../../tools/scripts/backup/local.ts";
import { startPlatform } from "../../tools/scripts/platform.ts";
import {
  fill,
  IMPORTED,
  receiver,
  type CounterResponse,
  trigger,
} from "../support/used-platform.ts";

const MASTER_KEY = "ab".repeat(32);

const script = async (name: string, args: string[], environment: Record<string, string> = {}) => {
  const file = join(import.meta.dirname, `../../tools/scripts/${name}.ts`);
  const ran = promisify(execFile)(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", file, ...args],
    { env: { ...process.env, ...environment } },
  );
  return ran.then(
    ({ stdout }) => ({ ok: true, output: stdout }),
    (error: { stdout: string; stderr: string }) => ({
      ok: false,
      output: error.stdout + error.stderr,
    }),
  );
};

/** One used platform, and its backup, for every test here. */
let kept: Awaited<ReturnType<typeof fill>> & {
  backup: string;
  output: string;
  receiver: Awaited<ReturnType<typeof receiver>>;
};

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), "backup-"));
  const stateDir = join(folder, "state");
  const hook = await receiver();
  const platform = await startPlatform({ stateDir, variables: { MASTER_KEY } });
  const facts = await fill(platform, hook.url).finally(platform.stop);
  const backup = join(folder, "backup");
  const { ok, output } = await script("backup", ["--to", backup], {
    STATE_DIR: stateDir,
    MASTER_KEY,
  });
  if (!ok) throw new Error(output);
  kept = { ...facts, backup, output, receiver: hook };
  return async () => {
    hook.close();
    await rm(folder, { recursive: true, force: true });
  };
});

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "restored-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A copy of the backup that a test may change. */
async function spoiled(): Promise<string> {
  const folder = join(await emptyFolder(), "backup");
  await cp(kept.backup, folder, { recursive: true });
  return folder;
}

test("a restored platform continues from the backup", async () => {
  const { ada, store, counter, off, webhook, workflow, receiver: hook } = kept;
  const stateDir = join(await emptyFolder(), "state");
  const restored = await script("restore", ["--from", kept.backup], {
    STATE_DIR: stateDir,
    MASTER_KEY,
  });
  expect(restored).toEqual({ ok: true, output: expect.stringContaining("sources: 2") });

  // The restored folder contains the key: the next start needs no configured one.
  const platform = await startPlatform({ stateDir });
  onTestFinished(platform.stop);
  const here = (url: string) => url.replace(/^http:\/\/[^/]+/, new URL(platform.url).origin);
  const caller = { ...ada, url: platform.url };

  hook.received.length = 0;
  const response = await trigger<CounterResponse>(here(endpointOf(counter)));
  expect(response).toEqual({
    count: 3,
    token: "of the source",
    key: "of the account",
    deployed: 1,
    activated: 2,
  });
  await expect.poll(() => hook.received.length).toBe(1);
  const [{ headers, body } = { headers: {}, body: "" }] = hook.received;
  expect(new Webhook(webhook.signing_secret).verify(body, headers)).toMatchObject({ count: 3 });
  expect(await eventsOf(caller, counter)).toHaveLength(1);

  const records = await call<{ key: string; value: unknown; expires_at: number | null }[]>(
    caller,
    `/data_stores/${store.id}/records`,
  );
  expect(records.map(({ key, value }) => ({ key, value }))).toEqual([
    { key: "later", value: 1 },
    { key: "tea", value: { grams: 5 } },
  ]);

  expect(await trigger(here(workflow.trigger.endpoint_url))).toEqual({ token: "of the step" });
  expect(await call(caller, `/sources/${off.id}`)).toMatchObject({ active: false });

  // A restored object has the URLs of the new platform, and can be changed and deleted.
  const shown = await call<DeployedSource>(caller, `/sources/${counter.id}`);
  expect(endpointOf(shown)).toBe(here(endpointOf(counter)));
  await call(caller, `/sources/${counter.id}`, { name: "renamed" }, "PUT");
  expect(await trigger<CounterResponse>(here(endpointOf(counter)))).toMatchObject({ count: 4 });

  // An imported component that was never used is built from restored files.
  const listener = await call<DeployedSource>(caller, "/sources", { key: IMPORTED });
  expect(await trigger(endpointOf(listener))).toEqual({ word: "imported" });
});

test("a backup contains no secret in plain text", async () => {
  const paths = await readdir(kept.backup, { recursive: true, withFileTypes: true });
  for (const entry of paths.filter((each) => each.isFile())) {
    const text = await readFile(join(entry.parentPath, entry.name), "utf8");
    for (const secret of [
      "of the source",
      "of the account",
      "of the step",
      kept.webhook.signing_secret,
      MASTER_KEY,
    ])
      expect([entry.name, text.includes(secret)]).toEqual([entry.name, false]);
  }
});

test.for([
  [
    "a file of it was changed",
    async (folder: string) => {
      await writeFile(join(folder, "sources.ndjson"), "\n", { flag: "a" });
    },
    "sources.ndjson differs from its digest",
  ],
  [
    "a file of it is missing",
    (folder: string) => rm(join(folder, "webhooks.ndjson")),
    "webhooks.ndjson is missing",
  ],
  [
    "a file was added",
    (folder: string) => writeFile(join(folder, "files/code/more"), ""),
    "files/code/more was added",
  ],
  [
    "its manifest is truncated",
    async (folder: string) => {
      const text = await readFile(join(folder, "manifest.json"), "utf8");
      await writeFile(join(folder, "manifest.json"), text.slice(0, -20));
    },
    "its manifest.json is truncated",
  ],
  ["it has no manifest", (folder: string) => rm(join(folder, "manifest.json")), "no whole backup"],
  [
    "its manifest was changed with the files",
    async (folder: string) => {
      const text = await readFile(join(folder, "manifest.json"), "utf8");
      await writeFile(
        join(folder, "manifest.json"),
        text.replace(/"made_at": "[^"]*"/, '"made_at": "now"'),
      );
    },
    "changed after it was made",
  ],
  [
    "it is of a newer release",
    async (folder: string) => {
      const text = await readFile(join(folder, "manifest.json"), "utf8");
      await writeFile(
        join(folder, "manifest.json"),
        text.replace(/"migration": "[^"]*"/, '"migration": "9999_later.sql"'),
      );
    },
    "of a newer release",
  ],
] as const)("a restore changes nothing if %s", async ([, spoil, reason]) => {
  const backup = await spoiled();
  await spoil(backup);
  const parent = await emptyFolder();
  const restored = await script("restore", ["--from", backup], {
    STATE_DIR: join(parent, "state"),
    MASTER_KEY,
  });
  expect(restored).toEqual({ ok: false, output: expect.stringContaining(reason) });
  expect(await readdir(parent)).toEqual([]);
});

test("a restore rejects another master key, and a missing one", async () => {
  const parent = await emptyFolder();
  const STATE_DIR = join(parent, "state");
  const other = await script("restore", ["--from", kept.backup], {
    STATE_DIR,
    MASTER_KEY: "cd".repeat(32),
  });
  expect(other).toEqual({
    ok: false,
    output: expect.stringMatching(/does not belong to this MASTER_KEY.*not configured/),
  });
  const none = await script("restore", ["--from", kept.backup], { STATE_DIR, MASTER_KEY: "" });
  expect(none).toEqual({ ok: false, output: expect.stringContaining("Set MASTER_KEY") });
  expect(await readdir(parent)).toEqual([]);
});

test("a restore migrates a database of an older release", async () => {
  const folder = await emptyFolder();
  const fixture = join(import.meta.dirname, "../fixtures/releases/9073c16");
  await promisify(execFile)("tar", ["-xzf", `${fixture}.tar.gz`, "-C", folder]);
  const facts = JSON.parse(await readFile(`${fixture}.json`, "utf8")) as {
    apiKey: string;
    counter: { id: string };
  };
  const d1 = join(folder, "v3/d1/miniflare-D1DatabaseObject");
  const database = (await readdir(d1)).find((name) => /^[0-9a-f]+\.sqlite$/.test(name)) ?? "";
  const dumped = join(folder, "dumped");
  await mkdir(dumped);
  await dumpDatabase(join(d1, database), dumped);

  const target = await openNewLocal(join(folder, "restored"), { MASTER_KEY });
  onTestFinished(() => target.close());
  await target.replaceDatabase(await dumpedFiles(dumped));
  const ada = { url: `${target.operator().origin}/v1`, apiKey: facts.apiKey };
  expect(await call(ada, `/sources/${facts.counter.id}`)).toMatchObject({ id: facts.counter.id });
  expect(await call(ada, "/users/me/data_stores")).toEqual([]);
});

test("a restore overwrites existing data only with --force", async () => {
  const stateDir = join(await emptyFolder(), "state");
  const platform = await startPlatform({ stateDir, variables: { MASTER_KEY } });
  const [before] = [
    await call<{ id: string }>(platform, "/webhooks", { url: "http://127.0.0.1:1/" }),
  ];
  await platform.stop();
  const restore = (...args: string[]) =>
    script("restore", ["--from", kept.backup, ...args], { STATE_DIR: stateDir, MASTER_KEY });
  expect(await restore()).toEqual({ ok: false, output: expect.stringContaining("is not empty") });
  expect(await restore("--force")).toMatchObject({ ok: true });

  const again = await startPlatform({ stateDir });
  onTestFinished(again.stop);
  await expect(call(again, `/webhooks/${before.id}`)).rejects.toThrow("404");
  expect(await call({ ...kept.ada, url: again.url }, `/webhooks/${kept.webhook.id}`)).toBeTruthy();
});

test("a restored folder keeps its tokens, unless the environment sets others", async () => {
  const stateDir = join(await emptyFolder(), "state");
  const tokens = { ADMIN_TOKEN: "operators", METRICS_TOKEN: "scrapers", DEV_API_KEY: "developers" };
  const secrets = async () => parseEnv(await readFile(join(stateDir, "secrets.env"), "utf8"));
  const restore = (environment: Record<string, string>) =>
    script("restore", ["--from", kept.backup, "--force"], { STATE_DIR: stateDir, ...environment });
  expect(await restore({ MASTER_KEY, ...tokens })).toMatchObject({ ok: true });
  expect(await secrets()).toEqual({ MASTER_KEY, ...tokens });
  expect(await restore({})).toMatchObject({ ok: true });
  expect(await secrets()).toEqual({ MASTER_KEY, ...tokens });
  expect(await restore({ ADMIN_TOKEN: "other-operators" })).toMatchObject({ ok: true });
  expect(await secrets()).toEqual({ MASTER_KEY, ...tokens, ADMIN_TOKEN: "other-operators" });
  expect((await stat(stateDir)).mode & 0o777).toBe(0o700);
});
