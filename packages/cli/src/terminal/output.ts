import pc from "picocolors";

/** Colours, only on a terminal. Set explicitly, because the library would also use them in CI. */
export const color = pc.createColors(
  !process.env["NO_COLOR"] &&
    process.env["TERM"] !== "dumb" &&
    "isTTY" in process.stdout &&
    process.stdout.isTTY,
);

/** Whether the terminal is interactive. */
export function isInteractive(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY && !process.env["CI"];
}

/** Write a line to the output, for people or programs. */
export function line(text = ""): void {
  process.stdout.write(`${visible(text)}\n`);
}

/** Write a warning to stderr, so that programs can parse the output. */
export function warn(warning: string): void {
  process.stderr.write(`${visible(`${color.yellow("warning")}  ${warning}`)}\n`);
}

/** Write a value as JSON: on one line for streams, else indented. */
export function json(value: unknown, isCompact = false): void {
  const text = isCompact ? JSON.stringify(value) : JSON.stringify(value, null, 2);
  process.stdout.write(`${text.replaceAll(CONTROL, escaped)}\n`);
}

/**
 * Characters by which names, logs and errors of components would change what a terminal shows of the text around them,
 * except those that join letters and emojis, tabs and line ends.
 */
const CONTROL = /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]--[\t\n\u200C\u200D]]/gv;

const COLOR_OR_CONTROL = new RegExp(`\u001B\\[\\d+m|${CONTROL.source}`, "gv");

/** A text without such characters, with its colours. */
export function visible(text: string): string {
  return text.replaceAll(COLOR_OR_CONTROL, (match) => (match.startsWith("\u001B[") ? match : " "));
}

/** The code units of a character, as JSON escapes them. */
function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

/** Write rows with columns as wide as their widest cell. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = head.map((name, index) =>
    Math.max(name.length, ...rows.map((row) => (row[index] ?? "").length)),
  );
  const padded = (row: readonly string[]): string =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join("  ")
      .trimEnd();
  line(color.dim(padded(head)));
  for (const row of rows) line(padded(row));
}

/** A number of things: `1 event`, `2 events`; `several` is an irregular plural. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`;
}

/** A time of day or, for another day, the date. */
export function timeOf(ms: number, nowMs = Date.now()): string {
  const date = new Date(ms);
  const isToday = date.toDateString() === new Date(nowMs).toDateString();
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":");
  if (isToday) return time;
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${time}`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
