import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

import { expect, onTestFinished, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "../..");

const SLEEPS = [
  "await new Promise((resolve) => setTimeout(resolve, 10));",
  "await new Promise((resolve) => { setTimeout(() => resolve(), 10); });",
  "await new Promise((resolve) => globalThis.setTimeout(resolve, 10));",
  "setTimeout(resolve, 10);",
  "await scheduler.wait(10);",
  'import { setTimeout as wait } from "node:timers/promises";',
  'import { setInterval as ticks } from "timers/promises";',
];

const OTHERS = [
  "setTimeout(() => response.end(), 10);",
  "setTimeout(again);",
  "await new Promise((resolve) => socket.once('close', resolve));",
  "await new Promise((resolve) => socket.setTimeout(10, resolve));",
  "const code = `await new Promise((resolve) => setTimeout(resolve, 10));`;",
  "vi.useFakeTimers();",
];

test("the linter refuses sleeps in tests, and no other use of timers", async () => {
  const root = await mkdtemp(join(tmpdir(), "sleeps-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const config = {
    categories: { correctness: "off" },
    jsPlugins: [join(ROOT, "tools/lint/sleeps.ts")],
    rules: { "wellspring/no-sleep": "error" },
  };
  await writeFile(join(root, "lint.json"), JSON.stringify(config));
  await writeFile(join(root, "probe.ts"), [...SLEEPS, ...OTHERS].join("\n"));
  const args = ["--config", "lint.json", "--format", "json", "probe.ts"];
  const { stdout } = await promisify(execFile)(join(ROOT, "node_modules/.bin/oxlint"), args, {
    cwd: root,
  }).catch((failure: { stdout: string }) => failure);
  const { diagnostics } = JSON.parse(stdout) as {
    diagnostics: { labels: { span: { line: number } }[] }[];
  };
  const lines = diagnostics.map(({ labels }) => labels[0]?.span.line ?? 0);
  expect(lines.toSorted((a, b) => a - b)).toEqual(SLEEPS.map((_, index) => index + 1));
});
