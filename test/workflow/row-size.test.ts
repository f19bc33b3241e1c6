import { expect, test } from "vitest";

import { MAX_ROW_BYTES } from "#domain/row-size.ts";
import { keptLog, MAX_LOG_BYTES } from "#durable-objects/workflow/kept-log.ts";

import { expectRowsFit } from "../support/rows.ts";
import { code, deployWorkflow, runOnce } from "../support/workflow.ts";

const line = (message: string) => ({ level: "info", message, atMs: 1 });

test("keeps a log in ASCII whole", () => {
  const lines = Array.from({ length: 200 }, () => line("x".repeat(4096)));
  expect(JSON.parse(keptLog(lines))).toEqual(lines);
});

test.for([
  ["characters of three bytes", "€"],
  ["control characters, which JSON escapes", "\u0000"],
] as const)(
  "truncates a log of %s that is too large, with the number of dropped lines",
  ([, character]) => {
    const lines = Array.from({ length: 200 }, () => line(character.repeat(4096)));
    const text = keptLog(lines);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_LOG_BYTES);
    expect(Buffer.byteLength(text)).toBeGreaterThan(MAX_LOG_BYTES * 0.95);
    const kept = JSON.parse(text) as ReturnType<typeof line>[];
    const missing = lines.length - kept.length + 1;
    expect(kept.at(-1)?.message).toBe(
      `[${missing} more lines are not kept: the log of a step may take ${MAX_LOG_BYTES} bytes as JSON]`,
    );
    expect(kept.slice(0, -1)).toEqual(lines.slice(0, kept.length - 1));
  },
);

test("the largest step fits a row", async () => {
  const flow = await deployWorkflow({
    steps: [
      {
        name: "large",
        component_code: code(`
          for (let n = 0; n < 200; n += 1) console.log("\\u0000".repeat(4096));
          $.flow.exit("\\u0000".repeat(100000));
          return '"'.repeat(499000);`),
      },
    ],
  });
  const run = await runOnce(flow);
  expect(run.state).toBe("succeeded");
  expect(run.steps[0].exports.$return_value).toHaveLength(499_000);
  expect(run.steps[0].logs.at(-1).message).toMatch(/more lines are not kept/);
  expect(run.exit_reason).toHaveLength(4096);
  expect(await expectRowsFit(flow.stub)).toBeGreaterThan(MAX_ROW_BYTES * 0.9);
});

test("the largest failing step fits a row", async () => {
  const flow = await deployWorkflow({
    steps: [
      {
        name: "large",
        component_code: code(`
          for (let n = 0; n < 200; n += 1) console.log("\\u0000".repeat(4096));
          $.export("text", '"'.repeat(499000));
          const error = new Error("\\u0000".repeat(100000));
          error.name = "\\u0000".repeat(100000);
          error.stack = "\\u0000".repeat(100000);
          throw error;`),
      },
    ],
  });
  const run = await runOnce(flow);
  expect(run.state).toBe("failed");
  expect(run.steps[0].exports.text).toHaveLength(499_000);
  expect(await expectRowsFit(flow.stub)).toBeGreaterThan(MAX_ROW_BYTES * 0.9);
});
