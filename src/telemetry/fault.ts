import { IsolateTimeout } from "#domain/isolate-timeout.ts";
import { RanTooLong, SandboxDied } from "#domain/sandbox-loss.ts";

/** An error as it is logged. */
export type Fault = { name: string; message: string; stack: string };

const MAX_MESSAGE = 300;
const MAX_FRAMES = 8;

/**
 * The loggable part of a thrown value: its message without users' data, and its stack. Messages quote the invalid
 * input: JSON that does not parse, parameters of a statement, URLs.
 */
export function faultOf(error: unknown): Fault {
  if (!(error instanceof Error)) return { name: "Thrown", message: typeof error, stack: "" };
  const { name, message, cause, stack = "" } = error;
  const why = cause instanceof Error ? `: ${cleaned(cause.message)}` : "";
  return {
    name: /^[A-Za-z0-9_]{1,40}$/.test(name) ? name : "Error",
    message: `${cleaned(message)}${why}`.slice(0, MAX_MESSAGE),
    stack: framesOf(stack),
  };
}

/**
 * The runtime's messages when it ends an isolate: they have no types. An isolate may throw the same message, but
 * nothing else of it is logged.
 */
const DEATHS: [RegExp, string][] = [
  [/exceeded.*cpu|cpu.*exceeded/i, "cpu_limit"],
  [/exceeded.*memory|memory.*exceeded/i, "memory_limit"],
  [/subrequest/i, "subrequest_limit"],
  [/never generate/i, "silent"],
  [/network connection lost|disconnected|reset/i, "disconnected"],
  [/not found/i, "missing"],
];

/**
 * The cause of an isolate's death, in one word. Its error may contain values that its code threw, and so is never
 * logged.
 */
export function causeOfDeath(error: unknown): string {
  if (error instanceof IsolateTimeout) return "silent";
  if (error instanceof RanTooLong) return "blocked";
  if (error instanceof SandboxDied) return "died";
  const message = error instanceof Error ? error.message : "";
  return DEATHS.find(([pattern]) => pattern.test(message))?.[1] ?? "unknown";
}

/** Text without quotations, secrets and parts of URLs that may contain either. */
export function cleaned(text: string): string {
  return (
    text
      // drizzle repeats the failed statement and its parameters; the stack shows its place.
      .replace(/^(Failed query): [^]*$/, "$1")
      .replaceAll(/\b([a-z][a-z0-9+.-]*:\/\/)(?:[^\s/?#"'@]*@)?([^\s/?#"'@]*)[^\s"']*/gi, "$1$2/…")
      .replaceAll(/"(?:[^"\\]|\\.)*"?/g, '"…"')
      .replaceAll(/\b(bearer|basic)\s+\S+/gi, "$1 …")
      // Keys and tokens; our ids are shorter, or have hyphens.
      .replaceAll(/[A-Za-z0-9+/_=]{40,}|[A-Za-z0-9+_=]{32,}/g, "…")
  );
}

/** Frames only: the lines before them repeat the message. */
function framesOf(stack: string): string {
  return stack
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .slice(0, MAX_FRAMES)
    .map((line) => line.trim())
    .join("\n");
}
