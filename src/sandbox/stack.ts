import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";

/** A place in the bundle as a stack frame writes it, with whatever the runtime puts before the module's name. */
const FRAME = /(?:[\w+.-]+:\/*)?(?:[^\s()]*\/)?component\.js:(\d+):(\d+)/g;

/** Rewrite the frames of a stack that lie in the bundle to the places in the files that were sent. */
export function mapStack(stack: string, map: string): string {
  if (!stack.includes("component.js:")) return stack;
  const trace = new TraceMap(map);
  return stack.replaceAll(FRAME, (frame, line: string, column: string) => {
    // Stack frames count columns from 1, source maps from 0.
    const original = originalPositionFor(trace, { line: Number(line), column: Number(column) - 1 });
    if (original.source === null) return frame;
    return `${original.source}:${original.line}:${original.column + 1}`;
  });
}
