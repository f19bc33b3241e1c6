// @runs first

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";

import { expect, onTestFinished, test } from "vitest";

import { call } from "../../tools/scripts/api.ts";
import { freePort } from "../../tools/scripts/local/ports.ts";
import { type RunningPlatform, startPlatform } from "../../tools/scripts/platform.ts";

const SCRIPTS = join(import.meta.dirname, "../../tools/scripts");
const SCRIPT = join(SCRIPTS, "registry-import.ts");
const COMPONENTS = 60;
const ADMIN_TOKEN = "an-operator-s-token-of-the-test-of-imports";
const MASTER_KEY = "ab".repeat(32);

type Counts = { published: number; waiting: number };
type Import = { id: string; state: string; counts: Counts };
type Report = { state: string; counts: Counts; items: unknown[] };

async function newFolder(prefix: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), prefix));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A folder of actions that share the file of their app. */
async function newCollection(): Promise<string> {
  const folder = await newFolder("collection-");
  const write = async (path: string, code: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), code);
  };
  await write("components/shop/shop.app.mjs", `export default { type: "app", app: "shop" };`);
  for (let n = 0; n < COMPONENTS; n += 1)
    await write(
      `components/shop/actions/do-${n}/do-${n}.mjs`,
      `import shop from "../../shop.app.mjs";
      export default { key: "shop-do-${n}", name: "Do ${n}", version: "0.1.0", type: "action",
        props: { shop }, run() { return ${n}; } };`,
    );
  return folder;
}

/** The operator's command. */
function startImport(folder: string, { url }: RunningPlatform) {
  const child = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", SCRIPT, folder, "--json"],
    { env: { ...process.env, WELLSPRING_URL: url.replace(/\/v1$/, ""), ADMIN_TOKEN } },
  );
  onTestFinished(() => void child.kill());
  return child;
}

/** The command's report once the import has ended. */
async function reportOf(child: ReturnType<typeof startImport>): Promise<Report> {
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit"),
  ]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return JSON.parse(out);
}

const operatorOf = ({ url }: RunningPlatform) => ({
  url: url.replace(/v1$/, "admin"),
  apiKey: ADMIN_TOKEN,
});

/** The latest import. */
async function newestOf(platform: RunningPlatform): Promise<Import | undefined> {
  const operator = operatorOf(platform);
  const [newest] = await call<{ id: string }[]>(operator, "/registry/imports");
  return newest && call<Import>(operator, `/registry/imports/${newest.id}`);
}

/** Wait until an import has published a component. Returns its id. */
async function begun(platform: RunningPlatform): Promise<string> {
  const published = async () => (await newestOf(platform))?.counts.published;
  await expect.poll(published, { timeout: 60_000, interval: 20 }).toBeGreaterThan(0);
  return (await newestOf(platform))?.id ?? "";
}

/** Back up or restore a state folder with the operator's command. */
function runScript(name: string, [option, backup]: [string, string], stateDir: string) {
  const script = ["--disable-warning=ExperimentalWarning", join(SCRIPTS, `${name}.ts`)];
  const environment = { ...process.env, MASTER_KEY, ADMIN_TOKEN, STATE_DIR: stateDir };
  return promisify(execFile)(process.execPath, [...script, option, backup], { env: environment });
}

test("an import interrupted by a kill continues, and so does its command", async () => {
  const [stateDir, folder, port] = [
    await newFolder("importing-"),
    await newCollection(),
    await freePort(),
  ];
  const options = { stateDir, port, variables: { ADMIN_TOKEN } };
  const killed = await startPlatform(options);
  onTestFinished(killed.kill);
  const report = reportOf(startImport(folder, killed));
  await begun(killed);
  await killed.kill();

  const restarted = await startPlatform(options);
  onTestFinished(restarted.kill);
  expect((await newestOf(restarted))?.counts.waiting).toBeGreaterThan(0);
  expect(await report).toMatchObject({
    state: "ended",
    counts: { published: COMPONENTS, waiting: 0 },
    items: [],
  });
  const last = await call<unknown[]>(
    operatorOf(restarted),
    `/registry/shop-do-${COMPONENTS - 1}/versions`,
  );
  expect(last).toMatchObject([{ version: "0.1.0" }]);
});

test("a backup contains a pending import, which continues after the restore", async () => {
  const folder = await newFolder("kept-");
  const [state, backup, restored] = [
    join(folder, "state"),
    join(folder, "backup"),
    join(folder, "restored"),
  ];
  const variables = { ADMIN_TOKEN, MASTER_KEY };
  const kept = await startPlatform({ stateDir: state, variables });
  onTestFinished(kept.kill);
  const command = startImport(await newCollection(), kept);
  const id = await begun(kept);
  await kept.kill();
  command.kill();

  await runScript("backup", ["--to", backup], state);
  expect(await readdir(join(backup, "imports"))).toEqual([id]);
  await runScript("restore", ["--from", backup], restored);
  const platform = await startPlatform({ stateDir: restored, variables });
  onTestFinished(platform.kill);
  // The sweep that continues imports runs every minute.
  await expect
    .poll(() => newestOf(platform), { interval: 500 })
    .toMatchObject({ id, state: "ended", counts: { published: COMPONENTS, waiting: 0 } });
});

test("a platform that does not respond is reported in one line", async () => {
  const child = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", SCRIPT, await newCollection()],
    {
      env: { ...process.env, WELLSPRING_URL: `http://127.0.0.1:${await freePort()}`, ADMIN_TOKEN },
    },
  );
  const [err, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
  expect(code).toBe(1);
  expect(err).toMatch(
    /^No platform responds at http:\S+: start the platform, or set WELLSPRING_URL\n$/,
  );
});
