import type { Failure, Witness } from "./evidence.ts";
import { throwAt, throwIn } from "./throws.ts";

type Failed = { failure: Failure; witness: Witness };

/** The error that the component's own code throws: with this message, or at the top of the stack. */
export function throwOf({ failure, witness }: Failed): ReturnType<typeof throwIn> {
  for (const text of witness.code.values()) {
    const thrown = throwIn(text, failure.message);
    if (thrown) return thrown;
  }
  if (/^(?:Type|Reference|Syntax)Error$/.test(failure.name)) return undefined;
  const { text, line } = placeOf(failure, witness);
  return text === undefined ? undefined : throwAt(text, line);
}

/** The component's own file, and the line in it, at the top of the stack. */
function placeOf(failure: Failure, { code }: Witness): { text: string | undefined; line: number } {
  const [, file = "", line] = /^(.*):(\d+):\d+$/.exec(topFrame(failure)) ?? [];
  const [, text] = [...code].find(([path]) => isSameFile(path, file)) ?? [];
  return { text, line: Number(line) };
}

/** Whether the code reads a field of an optional prop that was left out. */
export function readsLeftOut({ failure, witness }: Failed): boolean {
  const { text = "", line } = placeOf(failure, witness);
  const names = [...(text.split("\n")[line - 1] ?? "").matchAll(/\bthis\.(\w+)[.[]/g)];
  return failure.name === "TypeError" && names.some(([, name = ""]) => witness.leftOut?.has(name));
}

function isSameFile(a: string, b: string): boolean {
  return b !== "" && (a.endsWith(b) || b.endsWith(a));
}

/** Whether a name is missing in a package whose range the component's package.json states. */
export function isOfItsRange({ failure, witness: { code, ranges = {} } }: Failed): boolean {
  const [, name = ""] = /\.(\w+) is not a (?:constructor|function)/.exec(failure.message) ?? [];
  const imports = new RegExp(
    String.raw`import\s*\{[^}]*\b${name}\b[^}]*\}\s*from\s*["']([^"']+)["']`,
  );
  return [...code.values()].some((text) => Object.hasOwn(ranges, imports.exec(text)?.[1] ?? ""));
}

/** The file and the position at the top of a stack; empty if there is none. */
export function topFrame({ stack = "" }: Failure): string {
  const frame = stack.split("\n").find((line) => /^\s+at /.test(line)) ?? "";
  return /([^\s()]+:\d+:\d+)/.exec(frame)?.[1] ?? "";
}

/** Whether a stack frame is outside the component's own files. */
export function isForeign(frame: string, code: ReadonlyMap<string, string>): boolean {
  if (frame === "") return false;
  const file = frame.replace(/:\d+:\d+$/, "");
  return ![...code.keys()].some((path) => isSameFile(path, file));
}
