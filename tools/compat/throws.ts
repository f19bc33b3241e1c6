/** An error that code throws itself. `isConditional`: only for some values, events or responses. */
type Throw = { isConditional: boolean };

const THROWN =
  /(?:Error\s*\(|reject\(|throw)\s*(?:new \w+\(\s*)?(?:"((?:[^"\\\n]|\\.)+)"|'((?:[^'\\\n]|\\.)+)'|`((?:[^`\\]|\\.)+)`)/g;

/** The error of a message that code throws: it has a literal of it, or a template whose fixed parts match. */
export function throwIn(code: string, message: string): Throw | undefined {
  for (const { index, 1: double, 2: single, 3: template } of code.matchAll(THROWN))
    if (isMeant(message, double ?? single, template))
      return { isConditional: isConditionalAt(code, index) };
  return undefined;
}

/** The error that code throws in a line, whatever its message. */
export function throwAt(code: string, line: number): Throw | undefined {
  const lines = code.split("\n");
  const at = /\bthrow\b/.exec(lines[line - 1] ?? "")?.index;
  if (at === undefined) return undefined;
  const before = lines.slice(0, line - 1).join("\n").length + 1;
  return { isConditional: isConditionalAt(code, before + at) };
}

function isMeant(message: string, literal: string | undefined, template = ""): boolean {
  if (literal !== undefined) return message.includes(literal.replaceAll(/\\(.)/g, "$1"));
  const unescaped = template.replaceAll(/\\(.)/g, "$1");
  const parts = unescaped.split(/\$\{[^}]*\}/).map((part) => part.trim());
  return parts.join("").length >= 8 && inOrder(message, parts);
}

function inOrder(message: string, parts: readonly string[]): boolean {
  let from = 0;
  return parts.every((part) => {
    const at = message.indexOf(part, from);
    from = at + part.length;
    return at >= 0;
  });
}

const CONDITIONS = new Set(["if", "for", "while", "switch", "catch", "else"]);

/** Whether a statement is in a condition, a loop or a handler, or after a return: inside of its function. */
function isConditionalAt(code: string, at: number): boolean {
  const before = code.slice(0, at).replace(/(?:throw\s+)?(?:new\s+)?[\w$.]*\s*$/, "");
  if (/(?:\)|\belse|[?:]|&&|\|\|)\s*$/.test(before)) return true;
  const open = openingOf(before, "{", "}");
  const word = wordBefore(before.slice(0, open));
  if (CONDITIONS.has(word)) return true;
  return word === "try" ? isConditionalAt(code, open) : /\breturn\b/.test(before.slice(open));
}

/** The keyword or the name that a block belongs to: `if (…)`, `else`, `run()`. */
function wordBefore(header: string): string {
  const text = header.trimEnd();
  const named = text.endsWith(")")
    ? text.slice(0, openingOf(text.slice(0, -1), "(", ")")).trimEnd()
    : text;
  return /[\w$]*$/.exec(named)?.[0] ?? "";
}

/** The index of the last bracket that is still open at the end of a text; 0: there is none. */
function openingOf(text: string, open: string, close: string): number {
  let depth = 1;
  for (let index = text.length - 1; index >= 0; index -= 1) {
    if (text[index] === close) depth += 1;
    else if (text[index] === open) depth -= 1;
    if (depth === 0) return index;
  }
  return 0;
}
