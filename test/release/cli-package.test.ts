import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

import { PLATFORM_VERSION } from "#domain/version.ts";

import { begin, type CliPlace, jsonOf, post, wellspring } from "../support/cli.ts";

const ROOT = join(import.meta.dirname, "../..");

let folder: string;
let place: CliPlace;

/** Installs only the packed tarball in an empty folder. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cli-package-"));
  const run = promisify(execFile);
  await run("npm", ["run", "build:cli"], { cwd: ROOT });
  const pack = ["pack", "-w", "@wellspring/cli", "--pack-destination", folder, "--json"];
  await run("npm", pack, { cwd: ROOT });
  await writeFile(join(folder, "package.json"), `{"private": true}`);
  const install = ["install", "--prefer-offline", "--no-audit", "--no-fund"];
  await run("npm", [...install, join(folder, `wellspring-cli-${PLATFORM_VERSION}.tgz`)], {
    cwd: folder,
  });
  place = {
    cwd: folder,
    bin: join(folder, "node_modules/@wellspring/cli/bin/wellspring.js"),
    env: { WELLSPRING_HOME: join(folder, "home"), PORT: "0", STATE_DIR: "" },
  };
}, 300_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

test("from an empty folder: init, dev, edit, see the change, deploy, test", async () => {
  const made = await wellspring(place, "init", "source", "orders");
  expect([made.code, made.stdout]).toEqual([0, expect.stringContaining("orders/component.js")]);
  const path = join(folder, "orders/component.js");
  const running = begin(place, "dev", path);
  onTestFinished(() => void running.child.kill("SIGKILL"));
  const endpoint = await running.until(/http:\S+\/e\/\S+/);
  await running.until(/waiting for events/);
  await post(endpoint, { id: 1 });
  await running.until(/emit +Order 1/);
  await running.until(/delivery +200/);
  await writeFile(path, (await readFile(path, "utf8")).replace("Order $", "Bill $"));
  await running.until(/redeployed \d+ ms/);
  await post(endpoint, { id: 2 });
  await running.until(/emit +Bill 2/);

  const deployed = await jsonOf<{ id: string }>(place, "deploy", path);
  expect(await jsonOf(place, "list")).toEqual(
    expect.arrayContaining([expect.objectContaining({ id: deployed.id })]),
  );
  const own = await promisify(execFile)("node", ["--test"], { cwd: join(folder, "orders") });
  expect(own.stdout).toMatch(/pass 1/);

  const tried = await jsonOf<{ results: object[] }>(place, "test", "orders");
  expect(tried.results).toMatchObject([{ outcome: "emitted" }]);

  running.child.kill("SIGINT");
  expect(await once(running.child, "close")).toEqual([0, null]);
  const { code, stderr } = await wellspring(place, "list");
  expect([code, stderr]).toEqual([1, expect.stringContaining("No platform responds")]);
  // A restarted platform still has the deployed source.
  expect((await stat(join(folder, "home/state"))).isDirectory()).toBe(true);
});
