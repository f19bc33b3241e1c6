const MARK = "#.mjs";

/**
 * Mark a file that is an ES module though its extension does not show it. The compiler uses the extension alone to
 * decide the `default` of CommonJS for an ES module: all of its exports, as in Node, rather than the `default` among
 * them.
 */
export function marked(path: string): string {
  return path.endsWith(".mjs") ? path : path + MARK;
}

/** The path without the mark. */
export function unmarked(path: string): string {
  return path.replaceAll(MARK, "");
}
