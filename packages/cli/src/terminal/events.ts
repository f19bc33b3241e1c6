import type { ErrorEvent, EventSummary, LogLine, RunNote } from "../wire.ts";
import { color, counted, timeOf } from "./output.ts";

/** The deployed files, to show the line that threw. */
export type SourceLines = Record<string, string>;

const MAX_VALUE = 200;
const WIDTH = 9;

/** Maximum shown frames of an error: the line that threw, and its callers. */
const MAX_FRAMES = 4;

/** An error as text, with nothing after its stack. */
const STACK = /^(\w*Error\b[^]*?)(?:\n\s+at [^\n]*)+$/;

/** Maximum remembered error lines: a run's are followed at once by its errors. */
const MAX_ERROR_LINES = 100;

/** Formats events in their order. The error of a run is also a log line of it, which comes first: it is shown once. */
export class EventFormatter {
  #errorLines: string[] = [];

  format(summary: EventSummary, files: SourceLines = {}): string[] {
    const { event, metadata } = summary;
    if (metadata.name === "$logs" && isLog(event) && event.level === "error")
      this.#errorLines = [
        ...this.#errorLines.slice(1 - MAX_ERROR_LINES),
        `${event.run_id} ${event.message}`,
      ];
    if (metadata.name === "$errors" && isError(event) && this.#isShown(event)) return [];
    return linesOf(summary, files);
  }

  #isShown({ error, original_context: run }: ErrorEvent): boolean {
    const { code, message, stack = "" } = error;
    const text = stack === "" ? `${code}: ${message}` : stack;
    return this.#errorLines.includes(`${run.id} ${text}`);
  }
}

/** An event as lines for people: runs, log lines, errors with the line that threw, and emitted events. */
export function linesOf(summary: EventSummary, files: SourceLines = {}): string[] {
  const [first = "", ...others] = bodyOf(summary, files);
  const time = color.dim(timeOf(summary.indexed_at_ms));
  return [`${time}  ${first}`, ...others.map((one) => `${" ".repeat(timeWidth(summary))}${one}`)];
}

function bodyOf({ event, metadata }: EventSummary, files: SourceLines): string[] {
  const { name } = metadata;
  if (name === "$runs" && isRun(event)) return [runLine(event)];
  if (name === "$logs" && isLog(event)) return logLines(event, files);
  if (name === "$errors" && isError(event)) return errorLines(event, files);
  return [emitLine(name, metadata.summary ?? shortened(event))];
}

function emitLine(channel: string, text: string): string {
  const named = channel === "" ? "" : `${color.dim(channel)} `;
  return `${color.green(label("emit"))}${named}${text}`;
}

function runLine({ trigger, method, path, outcome, ...more }: RunNote): string {
  const what =
    method === undefined ? (trigger === "timer" ? "tick" : trigger) : `${method} ${path}`;
  const failed = outcome === "failed";
  const status = more.response_status ?? (failed ? "failed" : "ok");
  const { emitted, duplicates = 0 } = more;
  const dropped = duplicates === 0 ? "" : `, ${counted(duplicates, "duplicate")}`;
  const paint = failed ? color.red : color.cyan;
  return `${paint(label("run"))}${what}  ${paint(String(status))}  ${more.duration_ms} ms  ${color.dim(counted(emitted, "event") + dropped)}`;
}

function logLines({ level, message }: LogLine, files: SourceLines): string[] {
  const [, thrown] = (level === "error" && STACK.exec(message)) || [];
  if (thrown !== undefined) return thrownLines(thrown, message, files);
  const [first = "", ...others] = message.split("\n");
  const paint = level === "error" ? color.red : level === "warn" ? color.yellow : color.dim;
  return [paint(label(level)) + first, ...others.map((one) => " ".repeat(WIDTH) + one)];
}

function errorLines({ error }: ErrorEvent, files: SourceLines): string[] {
  const { code, message, stack = "" } = error;
  return thrownLines(`${code}: ${message}`, stack, files);
}

function thrownLines(thrown: string, stack: string, files: SourceLines): string[] {
  const head = color.red(`${label("error")}${thrown}`);
  const indent = " ".repeat(WIDTH);
  const [frame, ...callers] = framesIn(stack, files);
  if (!frame) return [head];
  const source = files[frame.file]?.split("\n")[frame.line - 1]?.trim();
  return [
    head,
    `${indent}at ${shownFrame(frame)}`,
    ...(source ? [color.dim(`${indent}${frame.line} | ${source}`)] : []),
    ...callers.map((caller) => color.dim(`${indent}from ${shownFrame(caller)}`)),
  ];
}

type Frame = { file: string; line: number; column: number };

function shownFrame({ file, line, column }: Frame): string {
  return `${file}:${line}:${column}`;
}

/** The frames of a stack in the files, the innermost first; else the innermost with a position. */
function framesIn(stack: string, files: SourceLines): Frame[] {
  const frames = [...stack.matchAll(/^\s+at .*?\(?([^\s()]+):(\d+):(\d+)\)?$/gm)].map(
    ([, file = "", line = "", column = ""]) => ({
      file,
      line: Number(line),
      column: Number(column),
    }),
  );
  const ownFrames = frames.filter(({ file }) => Object.hasOwn(files, file)).slice(0, MAX_FRAMES);
  return ownFrames.length > 0 ? ownFrames : frames.slice(0, 1);
}

/** A word in a separate column. */
export function label(word: string): string {
  return word.padEnd(WIDTH);
}

function timeWidth({ indexed_at_ms }: EventSummary): number {
  return timeOf(indexed_at_ms).length + 2;
}

function shortened(value: unknown): string {
  const text = JSON.stringify(value) ?? "";
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}

function isRun(event: unknown): event is RunNote {
  return hasField(event, "run_id") && hasField(event, "outcome");
}

function isLog(event: unknown): event is LogLine {
  return hasField(event, "level") && hasField(event, "message");
}

function isError(event: unknown): event is ErrorEvent {
  return hasField(event, "error");
}

function hasField(value: unknown, name: string): boolean {
  return typeof value === "object" && value !== null && name in value;
}
