import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";

import type { Failure, LogLine } from "#domain/invocation.ts";

import type { Outcome } from "./user-code.ts";

/** A position in the bundle in a stack frame, with any prefix of the runtime before the module's name. */
const FRAME = /(?:[\w+.-]+:\/*)?(?:[^\s()]*\/)?component\.js:(\d+):(\d+)/g;

/** The common part of all such positions, for a quick check. */
const MARK = "component.js:";

/** A stack frame in a log line; text that only looks like a position stays unchanged. */
const LOGGED_FRAME = /^ +at .*$/gm;

const MAX_CACHED_MAPPERS = 8;
const MAX_CACHED_MAP_LENGTH = 1024 * 1024;

type StackMapper = (stack: string) => string;

const mappers = new Map<string, StackMapper>();

/** Where the source map of a bundle comes from. */
export type SourceMap = { bundleHash: string; read: () => Promise<string> };

/** Rewrite the frames of a stack that lie in the bundle to the places in the files that were sent. */
export function mapStack(stack: string, map: string): string {
  return stack.includes(MARK) ? stackMapper(map)(stack) : stack;
}

/** Rewrite the stacks that an outcome has, in its errors and in its log. The map is read only where there are any. */
export async function mapOutcome<O extends Outcome>(outcome: O, map: SourceMap): Promise<O> {
  if (!hasFrames(outcome)) return outcome;
  const mapper = await cachedMapper(map);
  const { failure, uncaught, logs } = outcome;
  const mapped = (one: Failure): Failure => ({ ...one, stack: mapper(one.stack) });
  return {
    ...outcome,
    logs: logs.map((line) => mappedLine(line, mapper)),
    ...(uncaught && { uncaught: uncaught.map((one) => mapped(one)) }),
    ...(failure && { failure: mapped(failure) }),
  };
}

function hasFrames({ failure, uncaught = [], logs }: Outcome): boolean {
  return (
    failure?.stack.includes(MARK) === true ||
    uncaught.some(({ stack }) => stack.includes(MARK)) ||
    logs.some(({ message }) => message.includes(MARK))
  );
}

function mappedLine(line: LogLine, mapper: StackMapper): LogLine {
  if (!line.message.includes(MARK)) return line;
  return { ...line, message: line.message.replaceAll(LOGGED_FRAME, (frame) => mapper(frame)) };
}

/** A cache of parsed maps, because components that log errors do so repeatedly. */
async function cachedMapper({ bundleHash, read }: SourceMap): Promise<StackMapper> {
  const cached = mappers.get(bundleHash);
  if (cached) return cached;
  const map = await read();
  const mapper = stackMapper(map);
  if (map.length > MAX_CACHED_MAP_LENGTH) return mapper;
  const [oldest] = mappers.keys();
  if (oldest !== undefined && mappers.size >= MAX_CACHED_MAPPERS) mappers.delete(oldest);
  mappers.set(bundleHash, mapper);
  return mapper;
}

function stackMapper(map: string): StackMapper {
  const trace = new TraceMap(map);
  return (stack) =>
    stack.replaceAll(FRAME, (frame, line: string, column: string) => {
      // Stack frames count columns from 1, source maps from 0.
      const place = { line: Number(line), column: Number(column) - 1 };
      const original = originalPositionFor(trace, place);
      if (original.source === null) return frame;
      return `${original.source}:${original.line}:${original.column + 1}`;
    });
}
