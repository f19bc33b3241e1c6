import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { expect, onTestFinished, test } from "vitest";

const BUILD = join(import.meta.dirname, "../../tools/scripts/local/build.ts");

/** Builds a Worker, and prints the loaded modules of wrangler. */
const BUILDS = `
  import { createRequire } from "node:module";
  import { compile } from ${JSON.stringify(BUILD)};
  const { cache } = createRequire(import.meta.url);
  const loaded = () => Object.keys(cache).filter((file) => file.includes("node_modules/wrangler"));
  const { options } = await compile(process.argv[1], "sandbox");
  const before = loaded();
  await import("wrangler");
  console.log(JSON.stringify({ before, after: loaded().length > 0, options }));`;

test(
  "a process that builds a Worker loads nothing of the builder",
  { timeout: 60_000 },
  async () => {
    const dir = await mkdtemp(join(tmpdir(), "build-"));
    onTestFinished(() => rm(dir, { recursive: true, force: true }));
    const script = [
      "--disable-warning=ExperimentalWarning",
      "--input-type=module",
      "--eval",
      BUILDS,
    ];
    const { stdout } = await promisify(execFile)(process.execPath, [...script, dir], {
      cwd: join(import.meta.dirname, "../.."),
    });
    const { before, after, options } = JSON.parse(stdout);
    expect({ before, after }).toEqual({ before: [], after: true });
    expect(options).toMatchObject({
      compatibilityFlags: expect.arrayContaining(["nodejs_compat"]),
    });
    expect(JSON.parse(await readFile(join(dir, "options.json"), "utf8"))).toEqual(options);
  },
);
