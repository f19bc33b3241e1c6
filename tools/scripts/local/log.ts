import { inspect } from "node:util";

import { isShownRun } from "./event-lines.ts";
import { lineIn, readable } from "./log-lines.ts";
import { Refusal } from "./refusal.ts";

/** The format of log lines. */
type Format = "text" | "json";

type Fields = Record<string, string | number>;

type Line = { level: "info" | "warn" | "error"; event: string; message: string };

/** The format in `LOG_FORMAT`; throws for an unknown one. */
export function logFormat(text = "text"): Format {
  if (text === "text" || text === "json") return text;
  throw new Refusal(`LOG_FORMAT must be text or json, not "${text}".`);
}

/** Writes the log of a local run: as words for a terminal, or as one JSON object a line. */
export class Log {
  readonly #format: Format;
  readonly #write: (text: string) => void;

  constructor(format: Format, write: (text: string) => void = (text) => console.error(text)) {
    this.#format = format;
    this.#write = write;
  }

  get isJson(): boolean {
    return this.#format === "json";
  }

  /** Log output of the runtime or of a Worker in it, if it is useful to an operator. */
  runtime(entry: { level: string; message: string }): void {
    const text = readable(entry);
    if (text === undefined) return;
    if (!this.isJson) return this.#write(text);
    const line = lineIn(entry.message);
    if (line) return isShownRun(line) ? undefined : this.#write(entry.message);
    const level = entry.level === "warn" ? "warn" : "error";
    this.#writeJson({ level, event: "runtime", message: entry.message });
  }

  /** Write a line about the run itself. In text, only its message is shown. */
  line({ error, ...line }: Line & { error?: unknown }, fields: Fields = {}): void {
    if (this.isJson) return this.#writeJson(line, { ...fields, ...faultOf(error) });
    this.#write(line.message);
    if (error !== undefined)
      this.#write(error instanceof Error ? `${error.stack}` : inspect(error));
  }

  #writeJson(line: Line, more: Record<string, unknown> = {}): void {
    this.#write(JSON.stringify({ time: new Date().toISOString(), ...line, ...more }));
  }
}

/** The log of this process. The start rejects an unknown `LOG_FORMAT`, in text. */
export const log = new Log(process.env["LOG_FORMAT"] === "json" ? "json" : "text");

function faultOf(error: unknown): { error?: object } {
  if (error === undefined) return {};
  if (!(error instanceof Error)) return { error: { name: "Error", message: inspect(error) } };
  const { name, message, stack = "" } = error;
  return { error: { name, message, stack } };
}
