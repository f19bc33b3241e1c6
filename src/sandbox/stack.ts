import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";

import type { Failure, LogLine } from "#domain/invocation.ts";
import { packageNames } from "#domain/lockfile.ts";
import { unsupportedCode } from "#domain/unsupported-code.ts";

import type { CodeOrigin } from "./code-store.ts";
import { BEFORE_FILE, OWN_FILES } from "./own-files.ts";
import type { Outcome } from "./user-code.ts";

/** A position in the bundle in a stack frame, with any prefix of the runtime before the module's name. */
const FRAME = /(?:[\w+.-]+:\/*)?(?:[^\s()]*\/)?component\.js:(\d+):(\d+)/g;

/** A position in one of the component's own CommonJS files. */
const FILE_FRAME = new RegExp(
  String.raw`(?:[\w+.-]+:\/*)?\b${OWN_FILES}\/([^\s()]+)\.cjs:(\d+):(\d+)`,
  "g",
);

/** The common parts of all such positions, for a quick check. */
const MARKS = /component\.js:|\bfiles\/[^\s()]+\.cjs:/;

/** A stack frame in a log line; text that only resembles a position stays unchanged. */
const LOGGED_FRAME = /^ +at .*$/gm;

const MAX_CACHED = 8;
const MAX_CACHED_MAP_LENGTH = 1024 * 1024;

type StackMapper = (stack: string) => string;

/** The source map of a bundle, and the names of its packages. */
type Tracing = { mapper: StackMapper; packages: string[] };

const cached = new Map<string, Tracing>();

/** Loads the origin of a bundle's code. */
export type OriginReader = { bundleHash: string; read: () => Promise<CodeOrigin | undefined> };

/** Map the frames of a stack in the bundle to positions in the original files. */
export function mapStack(stack: string, map: string): string {
  return MARKS.test(stack) ? stackMapper(map)(stack) : stack;
}

/**
 * Map the stacks in the errors and the log of an outcome, and name the package of code that the runtime refuses. The
 * origin is loaded only if there are any.
 */
export async function mapOutcome<O extends Outcome>(outcome: O, origin: OriginReader): Promise<O> {
  if (!needsOrigin(outcome)) return outcome;
  const tracing = await cachedTracing(origin);
  if (tracing === undefined) return outcome;
  const { mapper } = tracing;
  const { failure, uncaught, logs } = outcome;
  const mapped = (one: Failure): Failure => mappedFailure(one, tracing);
  return {
    ...outcome,
    logs: logs.map((line) => mappedLine(line, mapper)),
    ...(uncaught && { uncaught: uncaught.map((one) => mapped(one)) }),
    ...(failure && { failure: mapped(failure) }),
  };
}

function mappedFailure(failure: Failure, { mapper, packages }: Tracing): Failure {
  const unsupported = unsupportedCode(failure, packages);
  const message =
    unsupported === undefined ? failure.message : `${unsupported} (${failure.message})`;
  return { ...failure, message, stack: mapper(failure.stack) };
}

function needsOrigin({ failure, uncaught = [], logs }: Outcome): boolean {
  return (
    [failure, ...uncaught].some((one) => one !== undefined && isTraced(one)) ||
    logs.some(({ message }) => MARKS.test(message))
  );
}

function isTraced(failure: Failure): boolean {
  return MARKS.test(failure.stack) || unsupportedCode(failure) !== undefined;
}

function mappedLine(line: LogLine, mapper: StackMapper): LogLine {
  if (!MARKS.test(line.message)) return line;
  return { ...line, message: line.message.replaceAll(LOGGED_FRAME, (frame) => mapper(frame)) };
}

/** A cache of parsed maps, because components that log errors do so repeatedly. */
async function cachedTracing({ bundleHash, read }: OriginReader): Promise<Tracing | undefined> {
  const known = cached.get(bundleHash);
  if (known) return known;
  const origin = await read();
  if (origin === undefined) return undefined;
  const { map, lockfile } = origin;
  const tracing = { mapper: stackMapper(map), packages: packageNames(lockfile) };
  if (map.length > MAX_CACHED_MAP_LENGTH) return tracing;
  const [oldest] = cached.keys();
  if (oldest !== undefined && cached.size >= MAX_CACHED) cached.delete(oldest);
  cached.set(bundleHash, tracing);
  return tracing;
}

function stackMapper(map: string): StackMapper {
  const trace = new TraceMap(map);
  return (stack) =>
    stack
      .replaceAll(FILE_FRAME, inFile)
      .replaceAll(FRAME, (frame, line: string, column: string) => {
        // Stack frames count columns from 1, source maps from 0.
        const place = { line: Number(line), column: Number(column) - 1 };
        const original = originalPositionFor(trace, place);
        if (original.source === null) return frame;
        return `${original.source}:${original.line}:${original.column + 1}`;
      });
}

function inFile(_: string, file: string, line: string, column: string): string {
  const before = line === "1" ? BEFORE_FILE.length : 0;
  return `${file}:${line}:${Math.max(1, Number(column) - before)}`;
}
