import { BLAMES, causeOf, type Trouble } from "./evidence.ts";
import { STEPS } from "./steps.ts";
import { isPassed, OUTCOMES, type Result } from "./subject.ts";

/** Failures with a common cause. */
export type Group = {
  step: Trouble["step"];
  blame: Trouble["blame"];
  because: string;
  cause: string;
  count: number;
  /** One message in full, and some of the components. */
  message: string;
  examples: string[];
};

const MAX_EXAMPLES = 3;

/** Group failures by step and cause: the most frequent first, in the order of a trial. */
export function groupsOf(results: readonly Result[]): Group[] {
  const groups = new Map<string, Group>();
  for (const { trouble, path } of results) {
    if (!trouble) continue;
    const { step, blame, because, message } = trouble;
    const cause = causeOf(trouble);
    const key = `${step} ${blame} ${because} ${cause}`;
    const group = groups.get(key) ?? {
      step,
      blame,
      because,
      cause,
      count: 0,
      message,
      examples: [],
    };
    group.count += 1;
    if (group.examples.length < MAX_EXAMPLES) group.examples.push(path);
    groups.set(key, group);
  }
  const place = ({ step }: Group): number => STEPS.indexOf(step);
  return [...groups.values()].toSorted((a, b) => place(a) - place(b) || b.count - a.count);
}

/** The table at the end of a run, one line a row. */
export function tableOf(results: readonly Result[]): string[] {
  const groups = groupsOf(results);
  const rows = groups.map(({ step, blame, because, count, cause }) => [
    step,
    blame,
    String(count),
    cause,
    because,
  ]);
  const head = ["step", "blame", "count", "cause", "because"];
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

/** The number of components by outcome, in all and by kind, and of failures by party at fault. */
function sums(results: readonly Result[]): string[] {
  return (["source", "action"] as const).flatMap((kind) => {
    const tried = results.filter((result) => result.kind === kind);
    if (tried.length === 0) return [];
    const passed = tried.filter((result) => isPassed(result)).length;
    const share = ((100 * passed) / tried.length).toFixed(1);
    const ends = counted(
      tried.map(({ outcome }) => outcome),
      OUTCOMES,
    );
    const blames = counted(
      tried.flatMap(({ trouble }) => trouble?.blame ?? []),
      BLAMES,
    );
    const failures = blames === "" ? "" : `; failures by ${blames}`;
    const free = tried.filter(({ demandsAccount }) => demandsAccount === false).length;
    return [
      `${kind}s: ${passed} of ${tried.length} pass (${share} %): ${ends}${failures}; ${free} without an account`,
    ];
  });
}

function counted<T extends string>(found: readonly T[], words: readonly T[]): string {
  const counts = words.map((word) => ({ word, count: found.filter((one) => one === word).length }));
  return counts.flatMap(({ word, count }) => (count > 0 ? `${count} ${word}` : [])).join(", ");
}

/** The figures of a report. The shares exclude components with a missing package or invalid code. */
export function figuresOf(results: readonly Result[]): Figures {
  const sound = results.filter(
    ({ trouble }) => trouble?.blame !== "package" && trouble?.blame !== "code",
  );
  const saved = sound.filter(({ savedMs }) => savedMs !== undefined);
  const ours = sound.filter(({ trouble }) => trouble?.blame === "platform");
  const times = saved.map(({ savedMs = 0 }) => savedMs).toSorted((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? 0;
  return {
    tried: results.length,
    sound: sound.length,
    savedPercent: percent(saved.length, sound.length),
    platformFaultPercent: percent(ours.length, sound.length),
    saveMs: { median: at(0.5), p95: at(0.95) },
  };
}

export type Figures = {
  tried: number;
  sound: number;
  savedPercent: number;
  platformFaultPercent: number;
  saveMs: { median: number; p95: number };
};

function percent(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((10_000 * part) / whole) / 100;
}
