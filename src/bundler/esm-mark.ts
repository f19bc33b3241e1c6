const MARK = "#.mjs";

/**
 * Mark a file that is an ES module though its ending does not say so. The compiler uses the ending alone when it
 * decides what an ES module gets of CommonJS as `default`: all of it, as in Node, rather than the `default` inside.
 */
export function marked(path: string): string {
  return path.endsWith(".mjs") ? path : path + MARK;
}

/** The path as it is. */
export function unmarked(path: string): string {
  return path.replaceAll(MARK, "");
}
