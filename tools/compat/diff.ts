import { readFile } from "node:fs/promises";

import type { Result } from "./subject.ts";

/** The differences of two reports: one line a component, regressions first, and the number of components in both. */
export async function diffOf(before: string, after: string): Promise<string[]> {
  return differences(await resultsIn(before), await resultsIn(after));
}

/** The lines by which two runs differ. */
export function differences(before: readonly Result[], after: readonly Result[]): string[] {
  const old = new Map(before.map((result) => [result.path, result]));
  const shared = after.flatMap((result) => {
    const was = old.get(result.path);
    return was ? [{ was, is: result }] : [];
  });
  const changed = shared.filter(({ was, is }) => endOf(was) !== endOf(is));
  const worse = changed.filter(({ was, is }) => rankOf(is) > rankOf(was));
  const better = changed.filter(({ was, is }) => rankOf(is) < rankOf(was));
  const other = changed.filter(({ was, is }) => rankOf(is) === rankOf(was));
  return [
    ...section(
      "worse",
      worse.flatMap((pair) => linesOf(pair)),
    ),
    ...section(
      "better",
      better.flatMap((pair) => linesOf(pair)),
    ),
    ...section(
      "other",
      other.flatMap((pair) => linesOf(pair)),
    ),
    `${shared.length} in both: ${worse.length} worse, ${better.length} better, ${other.length} otherwise changed`,
  ];
}

type Pair = { was: Result; is: Result };

function linesOf({ was, is }: Pair): string[] {
  return [`  ${is.path}`, `    ${endOf(was)} -> ${endOf(is)}`];
}

function section(title: string, lines: string[]): string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines];
}

function endOf({ outcome, trouble }: Result): string {
  return trouble ? `${outcome} at ${trouble.step} by ${trouble.blame}: ${trouble.name}` : outcome;
}

/** The severity of an outcome: a fault of the platform is the worst. */
function rankOf({ outcome, trouble }: Result): number {
  if (trouble) return trouble.blame === "platform" ? 4 : 3;
  return { emitted: 0, returned: 0, silent: 1, idle: 1, running: 2, failed: 3 }[outcome];
}

async function resultsIn(file: string): Promise<Result[]> {
  const report: { results: Result[] } = JSON.parse(await readFile(file, "utf8"));
  return report.results;
}
