import type { Message } from "esbuild-wasm";

import type { BundleIssue } from "./contract.ts";
import { unmarked } from "./esm-mark.ts";

/** A message of the compiler for the caller, with its position in the sent files. */
export function issueOf({ location, text }: Message, entry: string): BundleIssue {
  const plain = unmarked(text.replaceAll(/\buser:/g, ""));
  if (location === null) return { file: entry, line: 1, column: 0, text: plain };
  if (location.file.startsWith("entry:")) {
    const isUnexported = text.startsWith("No matching export");
    const reason = isUnexported ? `"${entry}" has no default export` : plain;
    return { file: entry, line: 1, column: 0, text: reason };
  }
  const { file, line, column } = location;
  return { file: pathOf(file), line, column, text: plain };
}

/** A path as the caller sent it, without the compiler's namespace. */
export function pathOf(file: string): string {
  return unmarked(file.replace(/^[a-z-]+:/, ""));
}

/** The messages of a failed build; undefined if the compiler itself failed. */
export function messagesOf(error: unknown): Message[] | undefined {
  if (!(error instanceof Error) || !("errors" in error)) return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- esbuild's BuildFailure is an Error with this field.
  return error.errors as Message[];
}
