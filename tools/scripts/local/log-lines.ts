import { asLines } from "./control-characters.ts";
import { eventLine, isShownRun } from "./event-lines.ts";

type Line = { level: string; message: string; [field: string]: unknown };

/** Repeated by the rest of the line, or useless on a terminal. */
const UNSHOWN = new Set(["time", "level", "message", "error"]);

/** The runtime logs this when an idle isolate ends. */
const ISOLATE_ENDED = "script terminated for unknown reasons";

/** And this when an alarm is set anew while the storage of its object opens. */
const ALARM_RESET = "SQLite alarm handler canceled with requestScheduledAlarm";

/** Addresses of workerd's own code, which it prints with an exception that a component receives as an error. */
const NATIVE_FRAME = /\bworkerd@[0-9a-f]+|\bwdErrId = /;

/** A line that only introduces or contains such addresses, or the place in workerd's sources of an exception. */
const OF_RUNTIME = /^(?:.*; )?(?:e = |exception = |stack: |\S+\.(?:c\+\+|h|rs):\d+: )/;

/**
 * Format output of the Worker for a terminal: its own lines (docs/monitoring.md) as words, runs as a line each, and
 * other warnings and errors unchanged, without the stacks of the runtime. Undefined: nothing.
 */
export function readable({
  level,
  message,
}: {
  level: string;
  message: string;
}): string | undefined {
  const line = lineIn(message);
  if (!line) return isTrouble(level) ? withoutDump(asLines(message)) : undefined;
  if (isShownRun(line)) return eventLine(line);
  const fields = Object.entries(line)
    .filter(([name]) => !UNSHOWN.has(name))
    .map(([name, value]) => `${name}=${String(value)}`);
  const lines = [`${line.level}: ${line.message} (${fields.join(" ")})`, ...faultIn(line)];
  return asLines(lines.join("\n"));
}

/** A message without the parts that only developers of the runtime can use. */
function withoutDump(message: string): string | undefined {
  if ([ISOLATE_ENDED, ALARM_RESET].some((harmless) => message.includes(harmless))) return undefined;
  if (!NATIVE_FRAME.test(message)) return message;
  const lines = message.split("\n");
  const kept = lines.filter((line) => !NATIVE_FRAME.test(line) && !OF_RUNTIME.test(line));
  return kept.length > 0 ? kept.join("\n") : undefined;
}

function isTrouble(level: string): boolean {
  return level === "error" || level === "warn";
}

/** A line of the platform's own log; undefined for other lines. */
export function lineIn(text: string): Line | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    const line: unknown = JSON.parse(text);
    return isLine(line) ? line : undefined;
  } catch {
    return undefined;
  }
}

function isLine(value: unknown): value is Line {
  if (typeof value !== "object" || value === null) return false;
  return ["level", "event", "message"].every(
    (name) => typeof Reflect.get(value, name) === "string",
  );
}

function faultIn({ error }: Line): string[] {
  if (typeof error !== "object" || error === null) return [];
  const [name, message, stack] = ["name", "message", "stack"].map((key) =>
    String(Reflect.get(error, key)),
  );
  const frames = stack === "" ? [] : (stack ?? "").split("\n").map((frame) => `    ${frame}`);
  return [`  ${name}: ${message}`, ...frames];
}
