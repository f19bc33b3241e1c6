import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { expect, onTestFinished, test } from "vitest";

import { freePort } from "../../tools/scripts/local/ports.ts";

const START = join(import.meta.dirname, "../../tools/scripts/start.ts");

/** A start with these variables, in a new state folder. */
async function started(given: Record<string, string>, prepare?: (folder: string) => Promise<void>) {
  const STATE_DIR = await mkdtemp(join(tmpdir(), "start-"));
  onTestFinished(() => rm(STATE_DIR, { recursive: true, force: true }));
  await prepare?.(STATE_DIR);
  const options = { env: { ...process.env, STATE_DIR, ...given } };
  const node = ["--disable-warning=ExperimentalWarning", START];
  return { folder: STATE_DIR, ended: promisify(execFile)(process.execPath, node, options) };
}

test.for([
  [{ LOG_FORMAT: "xml" }, 'LOG_FORMAT must be text or json, not "xml".\n'],
  [
    { LOG_FORMAT: "json", HOST: "here" },
    expect.stringMatching(
      /^\{"time":"[^"]+","level":"error","event":"start_failed","message":"HOST must be an IP address or localhost, not \\"here\\"\."\}\n$/,
    ),
  ],
] as [Record<string, string>, unknown][])(
  "a start with %j logs the reason for its end",
  async ([given, stderr]) => {
    const { ended } = await started(given);
    await expect(ended).rejects.toMatchObject({ code: 1, stdout: "", stderr });
  },
);

test("a start on a full disk fails with one line that names the cause", async () => {
  // Every write to it fails as on a full disk.
  const fill = (folder: string) => symlink("/dev/full", join(folder, "probe.tmp"));
  const { folder, ended } = await started({ PORT: String(await freePort()) }, fill);
  await expect(ended).rejects.toMatchObject({
    code: 1,
    stdout: "",
    stderr: `The disk of ${folder} is full. Free some space and start again\n`,
  });
});
