import { EventFormatter, label, type SourceLines } from "../terminal/events.ts";
import { color, json, line, timeOf } from "../terminal/output.ts";
import type { EventSummary } from "../wire.ts";
import type { Delivery } from "./receiver.ts";

/** The output of `dev`: lines for people, or one JSON object a line. */
export class Reporter {
  readonly #isJson: boolean;
  /** The deployed files, to show the lines that throw. */
  files: SourceLines = {};
  readonly #formatter = new EventFormatter();
  readonly #warned = new Set<string>();

  constructor(isJson: boolean) {
    this.#isJson = isJson;
  }

  event(summary: EventSummary): void {
    if (this.#isJson) return json({ type: typeOf(summary), ...summary }, true);
    for (const text of this.#formatter.format(summary, this.files)) line(text);
  }

  delivery(delivery: Delivery): void {
    if (this.#isJson) return json({ type: "delivery", ...delivery }, true);
    const { status, ms, attempt, forwarded } = delivery;
    const paint = status < 300 ? color.green : color.red;
    const repeated = attempt > 1 ? `, attempt ${attempt}` : "";
    const time = color.dim(timeOf(Date.now()));
    line(
      `${time}  ${paint(label("delivery"))}${forwarded}  ${paint(String(status))}  ${ms} ms${repeated}`,
    );
  }

  /** An action of `dev` itself; `fields` for programs. */
  note(type: string, text: string, fields: object = {}): void {
    if (this.#isJson) return json({ type, ...fields }, true);
    line(`${color.dim(timeOf(Date.now()))}  ${color.magenta(label("dev"))}${text}`);
  }

  /** Warnings of the platform: once for each version of the code. */
  warning(warning: string): void {
    if (this.#warned.has(warning)) return;
    this.#warned.add(warning);
    if (this.#isJson) return json({ type: "warning", message: warning }, true);
    line(`${color.dim(timeOf(Date.now()))}  ${color.yellow(label("warning"))}${warning}`);
  }

  /** Show warnings again for the next version of the code. */
  forgetWarnings(): void {
    this.#warned.clear();
  }

  /** A failure after which `dev` continues. */
  problem(type: string, message: string, details: readonly string[] = []): void {
    if (this.#isJson) return json({ type, message, details }, true);
    line(`${color.dim(timeOf(Date.now()))}  ${color.red(label("failed"))}${message}`);
    for (const detail of details) line(`${" ".repeat(19)}${detail}`);
  }

  /** The watched file was deleted. */
  gone(path: string): void {
    this.problem("file_gone", `${path} is gone: the last version continues`);
  }

  /** Lines of the header, only for people. */
  head(lines: readonly string[]): void {
    if (!this.#isJson) for (const one of lines) line(one);
  }
}

function typeOf({ metadata: { name } }: EventSummary): string {
  const types: Record<string, string> = { $runs: "run", $logs: "log", $errors: "error" };
  return types[name] ?? "emit";
}
