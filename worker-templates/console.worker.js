// The console of a component: every line goes to the log of its call; lines outside of calls are dropped.
import { format, inspect } from "node:util";

import { current } from "./context.worker.js";
import { withoutOurs } from "./failure.worker.js";
import { tableOf } from "./table.worker.js";

/** Maximum lines in the log of one call. */
export const MAX_LINES = 200;
const MAX_LINE = 4096;

/** The log lines of one call, of bounded length and number, with a mark where they were truncated. */
export class CallLog {
  #lines = [];
  #dropped = 0;
  #counts;
  #timers;
  indent = "";

  /** Counts by label; created, like the timers, on first use. */
  get counts() {
    return (this.#counts ??= new Map());
  }

  get timers() {
    return (this.#timers ??= new Map());
  }

  /** Write one line, inside of the open groups. */
  write(level, message) {
    if (this.#lines.length >= MAX_LINES) {
      this.#dropped += 1;
      return;
    }
    const text = this.indent + message.replaceAll("\n", `\n${this.indent}`);
    this.#lines.push({ level, message: cut(withoutOurs(text)), atMs: Date.now() });
  }

  /** All lines, and the number of dropped ones. */
  lines() {
    if (this.#dropped === 0) return this.#lines;
    const message = `[${this.#dropped} more lines are not kept: a run may log ${MAX_LINES}]`;
    return [...this.#lines, { level: "warn", message, atMs: Date.now() }];
  }
}

function cut(text) {
  if (text.length <= MAX_LINE) return text;
  return `${text.slice(0, MAX_LINE)}… [${text.length - MAX_LINE} more characters are not kept]`;
}

const writing =
  (level) =>
  (log, ...args) =>
    log.write(level, format(...args));

const METHODS = {
  log: writing("info"),
  info: writing("info"),
  dirxml: writing("info"),
  warn: writing("warn"),
  error: writing("error"),
  debug: writing("debug"),
  trace(log, ...args) {
    const trace = { name: "Trace", message: format(...args) };
    // oxlint-disable-next-line no-console -- it is named here, not called: its frame and that of the harness are left out.
    Error.captureStackTrace(trace, console.trace);
    log.write("debug", trace.stack);
  },
  dir: (log, value, options) => log.write("info", inspect(value, { ...options })),
  table(log, data, columns) {
    log.write("info", tableOf(data, columns) ?? format(data));
  },
  group(log, ...label) {
    if (label.length > 0) log.write("info", format(...label));
    log.indent += "  ";
  },
  groupCollapsed: (log, ...label) => METHODS.group(log, ...label),
  groupEnd(log) {
    log.indent = log.indent.slice(2);
  },
  assert(log, condition, ...args) {
    if (condition) return;
    const message = args.length === 0 ? "" : `: ${format(...args)}`;
    log.write("error", `Assertion failed${message}`);
  },
  count(log, label = "default") {
    const count = (log.counts.get(label) ?? 0) + 1;
    log.counts.set(label, count);
    log.write("info", `${label}: ${count}`);
  },
  countReset(log, label = "default") {
    log.counts.delete(label);
  },
  time(log, label = "default") {
    if (log.timers.has(label)) log.write("warn", `Label '${label}' already exists`);
    else log.timers.set(label, performance.now());
  },
  timeLog(log, label = "default", ...args) {
    const begunMs = log.timers.get(label);
    if (begunMs === undefined) return log.write("warn", `No such label '${label}'`);
    const tookMs = (performance.now() - begunMs).toFixed(3);
    log.write("info", format(`${label}: ${tookMs}ms`, ...args));
  },
  timeEnd(log, label = "default") {
    METHODS.timeLog(log, label);
    log.timers.delete(label);
  },
  clear() {},
  profile() {},
  profileEnd() {},
  timeStamp() {},
};

for (const [name, method] of Object.entries(METHODS)) {
  console[name] = (...args) => {
    const log = current.getStore()?.log;
    if (log) method(log, ...args);
  };
}
