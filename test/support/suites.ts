import { globSync, readFileSync } from "node:fs";

/** Where tests in workerd run: a suite for each adapter that runs user code, and the drills of releases. */
const SUITES = ["loader", "dispatch", "sandbox", "release"] as const;
type Suite = (typeof SUITES)[number];

/** Deployed code may behave differently on each adapter. */
const ADAPTERS: readonly Suite[] = ["loader", "dispatch", "sandbox"];

/** Folders whose tests deploy no code, or behave alike on every adapter. */
const INDEPENDENT =
  /^test\/(bench|bundler|compat|db|domain|emitter|namespace|network|objects|vault|webhook)\//;

/** Whole platforms and scripts are tested in Node, by other projects. */
const IN_NODE = ["test/{browser,processes,release,scripts}/**"];

/**
 * List the test files of a suite. The first line of a file may name its suites, as in `// @suites release, dispatch`; crowds,
 * large data and builds of packages run before a release. Throws for an unknown suite.
 */
export function testsOf(suite: Suite): string[] {
  const files = globSync("test/**/*.test.ts", { exclude: IN_NODE });
  return files.filter((file) => suitesOf(file).includes(suite));
}

function suitesOf(file: string): readonly Suite[] {
  const comment = /^\/\/ @suites (?<names>.+)/.exec(readFileSync(file, "utf8"));
  if (!comment) return INDEPENDENT.test(file) ? ["loader"] : ADAPTERS;
  return comment.groups?.["names"]?.split(", ").map((name) => suiteNamed(name, file)) ?? [];
}

function suiteNamed(name: string, file: string): Suite {
  const suite = SUITES.find((one) => one === name);
  if (!suite) throw new Error(`${file}: @suites: ${name} is not one of ${SUITES.join(", ")}`);
  return suite;
}
