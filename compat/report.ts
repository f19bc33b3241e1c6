import type { Result } from "./subject.ts";
import { causeOf, STEPS, type Trouble } from "./trouble.ts";

/** Failures that have their cause in common. */
export type Group = {
  step: Trouble["step"];
  blame: Trouble["blame"];
  cause: string;
  count: number;
  /** One message in full, and some of the components. */
  message: string;
  examples: string[];
};

const MOST_EXAMPLES = 3;

/** Gather failures by where they happened and why: the most frequent first, in the order of a trial. */
export function groupsOf(results: readonly Result[]): Group[] {
  const groups = new Map<string, Group>();
  for (const { trouble, path } of results) {
    if (!trouble) continue;
    const { step, blame, message } = trouble;
    const cause = causeOf(trouble);
    const key = `${step} ${blame} ${cause}`;
    const group = groups.get(key) ?? { step, blame, cause, count: 0, message, examples: [] };
    group.count += 1;
    if (group.examples.length < MOST_EXAMPLES) group.examples.push(path);
    groups.set(key, group);
  }
  const place = ({ step }: Group): number => STEPS.indexOf(step);
  return [...groups.values()].toSorted((a, b) => place(a) - place(b) || b.count - a.count);
}

/** The table that a run ends with, one line a row. */
export function tableOf(results: readonly Result[]): string[] {
  const groups = groupsOf(results);
  const rows = groups.map(({ step, blame, count, cause }) => [step, blame, String(count), cause]);
  const head = ["step", "blame", "count", "cause"];
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  const listed = groups.flatMap(({ examples }, index) => [
    line(rows[index] ?? []),
    ...examples.map((path) => `    ${path}`),
  ]);
  return [...(groups.length > 0 ? [line(head), ...listed, ""] : []), ...sums(results)];
}

/** How many came through, in all and by kind. */
function sums(results: readonly Result[]): string[] {
  return (["source", "action"] as const).flatMap((kind) => {
    const tried = results.filter((result) => result.kind === kind);
    if (tried.length === 0) return [];
    const passed = tried.filter(({ trouble }) => !trouble).length;
    const share = ((100 * passed) / tried.length).toFixed(1);
    const blamed = tried.filter(({ trouble }) => trouble?.blame === "platform").length;
    return [
      `${kind}s: ${passed} of ${tried.length} pass (${share} %), ${blamed} fail by the platform`,
    ];
  });
}
