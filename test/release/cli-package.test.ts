import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

import {
  type CliPlace,
  collected,
  jsonOf,
  MACHINE_PATH,
  post,
  wellspring,
} from "../support/cli.ts";
import { compileComponents, installTypes, runTests } from "../support/component-folder.ts";
import { POLL_TIMEOUT_MS } from "../support/timeouts.ts";

const ROOT = join(import.meta.dirname, "../..");

const run = promisify(execFile);

let folder: string;
let place: CliPlace;
let printed: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cli-package-"));
  const { stdout } = await run("npm", ["run", "pack"], { cwd: ROOT });
  [printed = ""] = /^npm install .*$/m.exec(stdout) ?? [];
  place = {
    cwd: folder,
    bin: join(folder, "node_modules/@wellspring/cli/bin/wellspring.js"),
    env: { WELLSPRING_HOME: join(folder, "home"), PORT: "0", STATE_DIR: "" },
  };
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Run a line in a shell that knows nothing but the machine's Node and npm, as a group of processes. */
function inShell(line: string) {
  const env = {
    ...process.env,
    ...place.env,
    PATH: MACHINE_PATH,
    npm_config_prefer_offline: "true",
  };
  const child = spawn("sh", ["-c", line], { cwd: folder, env, detached: true });
  const signal = (name: NodeJS.Signals) =>
    child.exitCode === null && child.signalCode === null && process.kill(-(child.pid ?? 0), name);
  return { ...collected(child), signal };
}

test("the printed command, in an empty folder: install, init, dev; then edit, see the change, deploy, test", async () => {
  const running = inShell(printed);
  onTestFinished(() => void running.signal("SIGKILL"));
  const endpoint = await running.until(/http:\S+\/e\/\S+/, POLL_TIMEOUT_MS);
  const path = join(folder, "orders/component.js");
  await running.until(/waiting for events/);
  await post(endpoint, { id: 1 });
  await running.until(/emit +Order 1/);
  await writeFile(path, (await readFile(path, "utf8")).replace("Order $", "Bill $"));
  await running.until(/redeployed \d+ ms/);
  await post(endpoint, { id: 2 });
  await running.until(/emit +Bill 2/);

  const deployed = await jsonOf<{ id: string }>(place, "deploy", path);
  expect(await jsonOf(place, "list")).toEqual(
    expect.arrayContaining([expect.objectContaining({ id: deployed.id })]),
  );
  const own = await run("node", ["--test"], { cwd: join(folder, "orders") });
  expect(own.stdout).toMatch(/pass 1/);

  const tried = await jsonOf<{ results: object[] }>(place, "test", "orders");
  expect(tried.results).toMatchObject([{ outcome: "emitted" }]);

  const ended = once(running.child, "close");
  running.signal("SIGINT");
  await ended;
  const { code, stderr } = await wellspring(place, "list");
  expect([code, stderr]).toEqual([1, expect.stringContaining("No platform responds")]);
  // A restarted platform still has the deployed source.
  expect((await stat(join(folder, "home/state"))).isDirectory()).toBe(true);
});

test("a new component in TypeScript contains its types and tests, and works elsewhere", async () => {
  const elsewhere = await mkdtemp(join(tmpdir(), "typescript-"));
  onTestFinished(() => rm(elsewhere, { recursive: true, force: true }));
  const made = join(elsewhere, "greet");
  const { stdout } = await wellspring(place, "init", "action", made, "--typescript");
  await installTypes(stdout, folder);
  expect(await runTests(made)).toMatch(/pass 1\n/);
  await compileComponents(made);
});

test("a package without the types and tests refuses --typescript, and writes nothing", async () => {
  await rm(join(folder, "node_modules/@wellspring/cli/dist/component.tgz"));
  const { code, stderr } = await wellspring(place, "init", "source", "typed", "--typescript");
  expect([code, stderr]).toEqual([1, expect.stringContaining("npm run pack")]);
  expect(existsSync(join(folder, "typed"))).toBe(false);
});
