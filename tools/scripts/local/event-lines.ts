import { styleText } from "node:util";

import type { ShownRun } from "#telemetry/shown-runs.ts";

import { asLine } from "./control-characters.ts";

/** A log line of the Worker about a run. */
type Shown = ShownRun & { event: "shown_run" };

const MAX_TEXT = 100;

/** Whether a line of the Worker is a run to show. */
export function isShownRun(line: object): line is Shown {
  return Reflect.get(line, "event") === "shown_run";
}

/** A run as one line: method or trigger, source, status, milliseconds, summaries, listeners. Its error is below it. */
export function eventLine(run: Shown): string {
  const { trigger, method, path = "", status, name, duration_ms: ms, state, failure } = run;
  const what = method === undefined ? trigger : `${method} ${path === "/" ? "" : path}`;
  const parts = [what, name, status, `${ms} ms`, state, emitsOf(run), listenersOf(run)].filter(
    Boolean,
  );
  const line = parts.map((part) => clean(String(part))).join("  ");
  return failure ? `${colored("red", line)}\n${faultOf(failure)}` : line;
}

function emitsOf({ events, summaries = [] }: Shown): string {
  if (events === undefined) return "";
  if (events === 0) return "no event";
  const count = `${events} ${events === 1 ? "event" : "events"}`;
  if (summaries.length === 0) return count;
  const more = events > summaries.length ? ", …" : "";
  return `${events === 1 ? "" : `${count}: `}${summaries.join(", ")}${more}`;
}

function listenersOf({ events = 0, listeners }: Shown): string {
  if (events === 0) return "";
  return `→ ${listeners} ${listeners === 1 ? "listener" : "listeners"}`;
}

/** The error, and its place in the author's files. */
function faultOf({ name, message, stack }: NonNullable<Shown["failure"]>): string {
  const frame = stack.split("\n").find((line) => /^\s+at /.test(line));
  const lines = [
    `  ${clean(`${name}: ${message}`)}`,
    ...(frame ? [`    ${clean(frame.trim())}`] : []),
  ];
  return lines.join("\n");
}

function clean(text: string): string {
  const line = asLine(text);
  return line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}…` : line;
}

function colored(color: "red", text: string): string {
  return styleText(color, text, { stream: process.stderr });
}
