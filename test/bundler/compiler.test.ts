// @suites release

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { CompilerFault } from "#bundler/compiler.ts";
import { compile, probeCompiler } from "#bundler/esbuild.ts";

import { signUp } from "../support/client.ts";

const GOOD = `export default { name: "Good", version: "0.0.1", run() {} };`;

const CRASHING: [title: string, code: string][] = [
  ["8,000 nested parentheses", `export default ${"(".repeat(8000)}1${")".repeat(8000)}`],
  ["30,000 statements", "var x=[1,2,3];".repeat(30_000)],
];

test.for(CRASHING)("rejects code of %s, and the next build works at once", async ([, code]) => {
  const [ada, bob] = [await signUp(), await signUp()];
  const refused = await ada.post("/components", { component_code: code });
  expect(refused).toMatchObject({
    status: 422,
    body: {
      code: "invalid_component",
      error: expect.stringContaining("component.js:1:1: The compiler ran out of stack"),
    },
  });
  const saved = await bob.post("/components", { component_code: GOOD });
  expect(saved.status).toBe(200);
});

/** A build that never ends. */
const STUCK = {
  entryPoints: ["stuck"],
  plugins: [
    {
      name: "stuck",
      setup: (build: { onResolve(o: object, f: () => Promise<never>): void }) =>
        build.onResolve({ filter: /./ }, () => new Promise<never>(() => {})),
    },
  ],
};

test("the probe reports a healthy compiler during a build within its time limit", async () => {
  // Importing the compiler takes seconds in the test runner, but not in a Worker.
  await compile({ stdin: { contents: "" } }, { client: "ada", limitMs: 30_000 });
  const building = compile(STUCK, { client: "ada", limitMs: 6000 });
  const ended = building.catch(() => "ended");
  expect(await Promise.race([probeCompiler().then(() => "well"), ended])).toBe("well");
  expect(await ended).toBe("ended");
});

test("cancels a build at its time limit, and the next one works", async () => {
  const terms = { client: "ada", limitMs: 200 };
  const late = compile(STUCK, terms);
  await expect(late).rejects.toThrow(CompilerFault);
  await expect(late).rejects.toThrow("The compiler took more than 0.2 s for this code");
  const built = await compile(
    { stdin: { contents: "export default 1" } },
    { ...terms, limitMs: 30_000 },
  );
  expect(built.outputFiles).toHaveLength(1);
});

test("the bundler's Worker reports a working compiler", async () => {
  await expect(env.BUNDLER.probe()).resolves.toBeUndefined();
});
