import { expect, onTestFinished, test, vi } from "vitest";

import { json, line } from "../../packages/cli/src/terminal/output.ts";

/** The text that a function writes to the output. */
function written(write: () => void): string {
  const spy = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  onTestFinished(() => spy.mockRestore());
  write();
  return spy.mock.calls.map(([text]) => String(text)).join("");
}

const HOSTILE = "a\u001B[2Jb\u202Ec\u009B5md\u2028e\u{E0041}f";

test("a name of others cannot move the cursor or reverse text, and colours stay", () => {
  expect(written(() => line(`\u001B[31m${HOSTILE}\u001B[39m\tg\nh`))).toBe(
    "\u001B[31ma [2Jb c 5md e f\u001B[39m\tg\nh\n",
  );
});

test("JSON has such characters escaped, with the same value", () => {
  const text = written(() => json({ name: HOSTILE }));
  expect(text).toMatch(/^[\x20-\x7e\n]*$/);
  expect(JSON.parse(text)).toEqual({ name: HOSTILE });
});
