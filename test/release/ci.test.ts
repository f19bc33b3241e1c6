import { execFile } from "node:child_process";
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, expect, test } from "vitest";

import { ROOT } from "../../tools/scripts/local/settings.ts";

/**
 * Replaces npm: records its arguments, and fails for the commands in `FAILING`, as often as it states. Tests write the
 * report of two files with one test each, or of the requested ones.
 */
const NPM = `#!/usr/bin/env node
const { appendFileSync, existsSync, readFileSync, writeFileSync } = require("node:fs");
const args = process.argv.slice(2);
appendFileSync("calls", args.join(" ") + "\\n");
const [command, name] = args;
const task = command === "run" ? name : command;
const [failing, times] = process.env.FAILING.split("*");
const counted = existsSync("count") ? Number(readFileSync("count", "utf8")) : 0;
const isFailing = task === failing && counted < Number(times);
if (isFailing) writeFileSync("count", String(counted + 1));
const report = args.find((arg) => arg.startsWith("--outputFile.json="))?.split("=")[1];
if (report) {
  const requested = args.filter((arg) => arg.endsWith(".test.ts"));
  const testResults = (requested.length > 0 ? requested : ["good.test.ts", "shaky.test.ts"]).map((file) => {
    const status = isFailing && file === "shaky.test.ts" ? "failed" : "passed";
    return { name: process.cwd() + "/" + file, status,
      assertionResults: [{ fullName: file + " holds", status, failureMessages: ["it was late"] }] };
  });
  const numPassedTests = testResults.filter(({ status }) => status === "passed").length;
  writeFileSync(report, JSON.stringify({ numPassedTests, testResults }));
}
process.exit(isFailing ? 1 : 0);
`;

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

/** Run `.ci/run` with one command that fails this many times, and a list of unstable tests. */
async function ci(failing: string, unstable = "") {
  const folder = await mkdtemp(join(tmpdir(), "ci-"));
  folders.push(folder);
  // With any folder above that of temporary files, npm's replacement is CommonJS.
  await writeFile(join(folder, "package.json"), "{}");
  await mkdir(join(folder, ".ci"));
  await copyFile(join(ROOT, ".ci/run"), join(folder, ".ci/run"));
  await writeFile(join(folder, ".ci/unstable"), unstable);
  await mkdir(join(folder, "bin"));
  await writeFile(join(folder, "bin/npm"), NPM);
  await chmod(join(folder, "bin/npm"), 0o755);
  const env = { ...process.env, FAILING: failing, PATH: `${folder}/bin:${process.env["PATH"]}` };
  const { code, output } = await new Promise<{ code: number; output: string }>((done) => {
    execFile(join(folder, ".ci/run"), { env }, (error, stdout) =>
      done({ code: error ? Number(error.code) : 0, output: stdout }),
    );
  });
  const calls = (await readFile(join(folder, "calls"), "utf8")).split("\n");
  return { code, lines: output.trimEnd().split("\n"), calls };
}

const timesOf = (calls: string[], start: string) =>
  calls.filter((call) => call === start || call.startsWith(`${start} `)).length;

/** The totals of the last line. */
const summary = (failed: number) => `${all - failed} passed, ${failed} failed`;

const green = await ci("nothing*0");
const all = Number(/^(\d+) passed, 0 failed$/.exec(green.lines.at(-1) ?? "")?.[1]);

test("a passing command runs once, and its time is reported", () => {
  const { code, lines, calls } = green;
  expect([code, lines.at(-1)]).toEqual([0, summary(0)]);
  // Two for each suite, one for each other command, and one for the list of unstable tests.
  const commands = calls.filter((call) => call !== "");
  const suites = calls.filter((call) => call.includes("--reporter=json"));
  expect(all).toBe(commands.length + suites.length + 1);
  expect(timesOf(calls, "test")).toBe(1);
  expect(lines.filter((line) => /^ *\d+ s {2}npm run demo$/.test(line))).toHaveLength(1);
});

test("a command that fails once has failed", async () => {
  const { code, lines, calls } = await ci("demo*1");
  expect([code, lines.at(-1)]).toEqual([1, summary(1)]);
  expect(timesOf(calls, "run demo")).toBe(1);
  expect(lines.at(-2)).toBe("FAILED: npm run demo");
});

test("a command that fails once beside others has failed", async () => {
  const { code, lines, calls } = await ci("attack*1");
  expect([code, lines.at(-1)]).toEqual([1, summary(1)]);
  expect(timesOf(calls, "run attack")).toBe(1);
  expect(lines.at(-2)).toBe("FAILED: npm run attack, beside others");
});

test("a test that fails once has failed, and is reported by name", async () => {
  const { code, lines, calls } = await ci("test*1");
  expect([code, lines.at(-1)]).toEqual([1, summary(1)]);
  expect(timesOf(calls, "test")).toBe(1);
  expect(lines.slice(-8).join("\n")).toContain("FAILED: shaky.test.ts holds");
});

const LISTED = "2026-11-27\tshaky.test.ts holds\tIts server is slow.";

test("the files of tests that are listed as unstable are repeated once, and each test counts once", async () => {
  const { code, lines, calls } = await ci("test*1", LISTED);
  expect([code, lines.at(-1)]).toEqual([0, summary(0)]);
  const [, again] = calls.filter((call) => call.startsWith("test "));
  expect(again).toMatch(/ shaky\.test\.ts$/);
  expect(again).not.toContain("good.test.ts");
});

test("a test that is listed as unstable and fails twice has failed", async () => {
  const { code, lines, calls } = await ci("test*2", LISTED);
  expect([code, lines.at(-1)]).toEqual([1, summary(1)]);
  expect(timesOf(calls, "test")).toBe(2);
});

test.for([
  ["four tests", Array.from({ length: 4 }, () => LISTED).join("\n")],
  ["one without a reason", "2026-11-27\tshaky.test.ts holds"],
  ["one without a date", "soon\tshaky.test.ts holds\tIts server is slow."],
])("a list of unstable tests with %s fails the run", async ([, list]) => {
  const { code, lines } = await ci("nothing*0", list);
  expect([code, lines.at(-1)]).toEqual([1, summary(1)]);
  expect(lines.at(-2)).toBe("FAILED: list of unstable tests");
});
