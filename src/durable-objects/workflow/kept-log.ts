import type { LogLine } from "#domain/invocation.ts";
import { type JsonOf, toJson } from "#domain/json.ts";
import { fitsBytes } from "#domain/row-size.ts";

/**
 * Maximum size of a step's log, which fits if it is ASCII. With 1,120,000 bytes of an outcome it is below
 * `MAX_ROW_BYTES`.
 */
export const MAX_LOG_BYTES = 850_000;

/** Room for the line with the number of dropped lines. */
const MARK_BYTES = 256;

/** The log of a step for storage, without its last lines if it is too large. */
export function keptLog(lines: readonly LogLine[]): JsonOf<readonly LogLine[]> {
  const text = toJson(lines);
  if (fitsBytes(text, MAX_LOG_BYTES)) return text;
  const kept = withinRoom(lines, MAX_LOG_BYTES - MARK_BYTES);
  const message = `[${lines.length - kept.length} more lines are not kept: the log of a step may take ${MAX_LOG_BYTES} bytes as JSON]`;
  const atMs = lines.at(-1)?.atMs ?? 0;
  return toJson([...kept, { level: "warn", message, atMs }]);
}

function withinRoom(lines: readonly LogLine[], maxBytes: number): readonly LogLine[] {
  let room = maxBytes;
  const end = lines.findIndex((line) => {
    room -= Buffer.byteLength(JSON.stringify(line)) + 1;
    return room < 0;
  });
  return end === -1 ? lines : lines.slice(0, end);
}
