import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

import { expect, onTestFinished, test, vi } from "vitest";

import { blameFor } from "../../tools/compat/blame.ts";

const MESSAGE =
  'There is no version "^2.0.0" of the package "codes", which "locales@1.0.0" imports';

/** An npm with this script, and a component whose own code is valid. */
async function npmThat(script: string) {
  const root = await mkdtemp(join(tmpdir(), "blame-"));
  onTestFinished(() => rm(root, { recursive: true }));
  await writeFile(join(root, "npm"), `#!/bin/sh\n${script}\n`);
  await chmod(join(root, "npm"), 0o755);
  vi.stubEnv("PATH", [root, process.env["PATH"]].join(delimiter));
  onTestFinished(() => void vi.unstubAllEnvs());
  await writeFile(join(root, "component.mjs"), "export default {};");
  const own = { files: new Map(), missing: [], ranges: {} };
  return blameFor({ name: "422", message: MESSAGE }, { root, entry: "component.mjs", own });
}

test.for([
  ["npm reports on its output alone", `echo '{"error":{"code":"E404"}}'; exit 1`],
  ["npm reports among its errors", `echo "npm error code E404" >&2; exit 1`],
  ["finds nothing", "exit 0"],
])("a missing version that %s is the package's fault", async ([, script]) => {
  expect(await npmThat(script ?? "")).toEqual({
    blame: "package",
    because: "npm has no codes@^2.0.0 either",
  });
});

test("an existing version, and a failed look-up, are not the package's fault", async () => {
  expect(await npmThat(`echo '"2.0.1"'`)).toBeUndefined();
  expect(await npmThat(`echo "npm error network" >&2; exit 1`)).toBeUndefined();
});
