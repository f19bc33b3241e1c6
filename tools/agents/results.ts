import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { NOT_APPLICABLE } from "./not-applicable.ts";

type Check = { id: string; status: string; errorMessage?: string };

/** The checks of a scenario that was run. */
export type Scenario = { name: string; checks: Check[] };

/** Read the results of the suite: a folder for each scenario, named after it and the time of the run. */
export async function readResults(folder: string): Promise<Scenario[]> {
  const names = await readdir(folder);
  return Promise.all(
    names.toSorted().map(async (name) => {
      const text = await readFile(join(folder, name, "checks.json"), "utf8");
      const checks: Check[] = JSON.parse(text);
      return {
        name: name.replace(/^server-/, "").replace(/-\d{4}-\d\d-\d\dT[\dTZ-]+$/, ""),
        checks,
      };
    }),
  );
}

/** The states of a check that the suite did not make. */
const SKIPPED = new Set(["INFO", "SKIPPED"]);

const EXCLUDED = new Set(NOT_APPLICABLE.flatMap(({ scenarios }) => scenarios));

/** Print the scenarios that apply, and the reasons why the others do not. False: one that applies has a failure. */
export function report(results: readonly Scenario[]): boolean {
  const applicable = results.filter(({ name }) => !EXCLUDED.has(name)).map(withoutExcluded);
  console.log("| scenario that applies | checks that pass | failure |\n|---|---|---|");
  for (const { name, checks } of applicable)
    console.log(
      `| \`${name}\` | ${passed(checks)} of ${judged(checks).length} | ${failureOf(checks)} |`,
    );
  console.log("\n| does not apply | reason |\n|---|---|");
  for (const { reason, scenarios } of NOT_APPLICABLE)
    console.log(`| ${scenarios.map((name) => `\`${name}\``).join(", ")} | ${reason} |`);
  const skipped = applicable.flatMap((scenario) => skippedIn(scenario));
  console.log(
    `| ${skipped.join(", ")} | The suite skips these for what the server declares and returns. |`,
  );
  const all = applicable.flatMap(({ checks }) => judged(checks));
  console.log(`\n${passed(all)} of ${all.length} checks that apply pass`);
  const unknown = [...EXCLUDED].filter((name) => !isInSuite(results, name));
  if (unknown.length > 0) console.log(`Not in the suite: ${unknown.join(", ")}`);
  return applicable.length > 0 && passed(all) === all.length && unknown.length === 0;
}

function withoutExcluded({ name, checks }: Scenario): Scenario {
  return { name, checks: checks.filter(({ id }) => !EXCLUDED.has(`${name}:${id}`)) };
}

/** The checks without those that the suite itself skipped. */
function judged(checks: readonly Check[]): Check[] {
  return checks.filter(({ status }) => !SKIPPED.has(status));
}

function skippedIn({ name, checks }: Scenario): string[] {
  return checks.filter(({ status }) => SKIPPED.has(status)).map(({ id }) => `\`${name}:${id}\``);
}

function passed(checks: readonly Check[]): number {
  return checks.filter(({ status }) => status === "SUCCESS").length;
}

function failureOf(checks: readonly Check[]): string {
  const failures = judged(checks).filter(({ status }) => status !== "SUCCESS");
  return failures.map(({ id, errorMessage = "" }) => `${id}: ${errorMessage}`).join("; ");
}

function isInSuite(results: readonly Scenario[], excluded: string): boolean {
  const [scenario, check] = excluded.split(":");
  const { checks } = results.find(({ name }) => name === scenario) ?? {};
  return checks?.some(({ id }) => check === undefined || id === check) ?? false;
}
