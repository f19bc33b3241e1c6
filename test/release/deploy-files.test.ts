import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

import { expect, onTestFinished, test } from "vitest";

import { freePort } from "../../tools/scripts/local/ports.ts";
import { DEFAULT_DRAIN_SECONDS, ROOT } from "../../tools/scripts/local/settings.ts";

const INSTALLED = "/opt/wellspring";

const unit = readFileSync(join(ROOT, "deploy/wellspring.service"), "utf8");

/** The instructions of the container file, each in one line. */
const instructions = readFileSync(join(ROOT, "deploy/Containerfile"), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => {
    const [name = "", ...rest] = line.split(" ");
    return { name, rest: rest.join(" ") };
  });

const all = (wanted: string): string[] =>
  instructions.filter(({ name }) => name === wanted).map(({ rest }) => rest);
const one = (wanted: string): string => all(wanted).join("\n");

/** The arguments of an instruction in its exec form. */
const execForm = (text: string) => JSON.parse(text.slice(text.indexOf("["))) as string[];

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "deploy-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function valueOf(name: string): string | undefined {
  return new RegExp(`^${name}=(.*)$`, "m").exec(unit)?.[1];
}

test("the unit runs an existing file, and leaves time to drain", () => {
  const [binary = "", ...args] = (valueOf("ExecStart") ?? "").split(" ");
  expect(existsSync(binary.replace(INSTALLED, ROOT))).toBe(true);
  expect(existsSync(join(ROOT, args.at(-1) ?? ""))).toBe(true);
  const endingSeconds = 10;
  expect(Number(valueOf("TimeoutStopSec"))).toBeGreaterThan(
    Number(DEFAULT_DRAIN_SECONDS) + endingSeconds,
  );
  expect([valueOf("KillMode"), valueOf("OOMPolicy")]).toEqual(["mixed", "continue"]);
});

const hasSystemd = existsSync("/usr/bin/systemd-analyze");

test.runIf(hasSystemd)("systemd accepts the unit, and rates its sandboxing as good", async () => {
  const file = join(await newFolder(), "wellspring.service");
  await writeFile(file, unit.replaceAll(INSTALLED, ROOT));
  const analyze = (...args: string[]) =>
    promisify(execFile)("/usr/bin/systemd-analyze", [...args, file]);
  expect(await analyze("verify")).toEqual({ stdout: "", stderr: "" });
  const { stdout } = await analyze("security", "--offline=true", "--no-pager");
  expect(Number(/exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1])).toBeLessThan(3);
});

test.runIf(hasSystemd)("systemd accepts the units of the backup, whose script exists", async () => {
  const folder = await newFolder();
  const names = ["wellspring.service", "wellspring-backup.service", "wellspring-backup.timer"];
  for (const name of names) {
    const text = readFileSync(join(ROOT, "deploy", name), "utf8");
    await writeFile(join(folder, name), text.replaceAll(INSTALLED, ROOT));
  }
  const files = names.map((name) => join(folder, name));
  const verified = await promisify(execFile)("/usr/bin/systemd-analyze", ["verify", ...files]);
  expect(verified).toEqual({ stdout: "", stderr: "" });
  const backup = readFileSync(join(ROOT, "deploy/wellspring-backup.service"), "utf8");
  const scripts = backup.match(/tools\/scripts\/\S+\.ts/g) ?? [];
  expect(scripts.map((script) => existsSync(join(ROOT, script)))).toEqual([true]);
});

test("the image has the project's Node version, and runs as an unprivileged user", () => {
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    devDependencies: { node: string };
  };
  expect(one("FROM")).toBe(`node:${devDependencies.node.split(".")[0]}-slim`);
  expect(one("USER")).toBe("node");
  expect(all("ADD")).toEqual([]);
  const settings = Object.fromEntries(
    one("ENV")
      .split(" ")
      .map((pair) => pair.split("=")),
  ) as Record<string, string>;
  expect([settings["STATE_DIR"], settings["PORT"]]).toEqual([one("VOLUME"), one("EXPOSE")]);
  expect(settings["HOST"]).toBe("0.0.0.0");
});

test("a platform builds, starts, is healthy and ends with the image's files alone", async () => {
  const image = await newFolder();
  const root = join(image, "app");
  await mkdir(root);
  for (const copied of all("COPY")) {
    const paths = copied.split(" ");
    const target = paths.pop() ?? "";
    for (const path of paths) {
      const to = target === "./" ? join(root, path) : join(root, target);
      await mkdir(dirname(to), { recursive: true });
      await cp(join(ROOT, path), to, { recursive: true });
    }
  }
  await symlink(join(ROOT, "node_modules"), join(root, "node_modules"));
  const stateDir = join(image, "state");
  const port = String(await freePort());
  const env = {
    ...process.env,
    STATE_DIR: stateDir,
    HOST: "0.0.0.0",
    PORT: port,
    LOG_FORMAT: "json",
    SANDBOXES: "1",
  };
  const builds = all("RUN").filter((command) => command.startsWith("node "));
  for (const build of builds)
    execFileSync("sh", ["-c", build], { cwd: root, env, stdio: "ignore" });

  const [, ...args] = execForm(one("CMD"));
  const platform = spawn(process.execPath, args, {
    cwd: root,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void platform.kill("SIGKILL"));
  const lines: { event: string }[] = [];
  const reader = createInterface({ input: platform.stderr });
  reader.on("line", (line) => lines.push(JSON.parse(line) as { event: string }));
  await expect
    .poll(() => lines.map(({ event }) => event), { timeout: 60_000, interval: 200 })
    .toContain("started");
  expect(JSON.stringify(lines)).not.toContain("link=");
  const { status } = await fetch(`http://127.0.0.1:${port}/docs/`);
  expect(status).toBe(200);
  const [, ...check] = execForm(one("HEALTHCHECK"));
  await promisify(execFile)(process.execPath, check, { env });
  const unused = { ...env, PORT: String(await freePort()) };
  await expect(promisify(execFile)(process.execPath, check, { env: unused })).rejects.toMatchObject(
    { code: 1 },
  );
  platform.kill("SIGTERM");
  expect(await once(platform, "exit")).toEqual([0, null]);
  expect(lines.map(({ event }) => event)).toEqual(["started", "stopping", "stopped"]);
});
