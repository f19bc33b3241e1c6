import { parse, parseExpressionAt } from "acorn";

import { errorMessage } from "./errors.ts";
import type { Issue } from "./errors.ts";
import type { Json } from "./json.ts";
import type { Values } from "./props.ts";

/** The props of a step: unchanged ones, and the code that computes the others. */
export type CompiledProps = {
  fixed: Values;
  /** JavaScript of one function of `steps` by prop. */
  computed: Record<string, string>;
};

/** Part of a text: a literal, or the source of an expression between `{{` and `}}`. */
type Part = { text: string } | { code: string };

/**
 * Compile the expressions in the props of a step, `{{steps.trigger.event.body.x}}`, at any place in a value. A value
 * that consists of one expression keeps the type of its result. Returns every expression that does not parse.
 */
export function compileProps(props: Values): CompiledProps | Issue[] {
  const issues: Issue[] = [];
  const fixed: [string, Json][] = [];
  const computed: [string, string][] = [];
  for (const [name, value] of Object.entries(props)) {
    const code = compileValue(value, `props.${name}`, issues);
    if (code === undefined) fixed.push([name, value]);
    else computed.push([name, `(steps) => ${code}`]);
  }
  if (issues.length > 0) return issues;
  return { fixed: Object.fromEntries(fixed), computed: Object.fromEntries(computed) };
}

/**
 * The module with the computed props of a step: a function of `steps` by prop, and the conversion of values to text.
 */
export function expressionModule(computed: Record<string, string>): string {
  const props = Object.entries(computed).map(
    ([name, code]) => `[${JSON.stringify(name)}]: ${code}`,
  );
  return `const $text = (value) =>
  value === undefined || value === null ? ""
  : typeof value === "object" ? JSON.stringify(value) : String(value);
export default {\n${props.join(",\n")}\n};\n`;
}

/** JavaScript for a value with expressions; undefined if it has none. */
function compileValue(value: Json, path: string, issues: Issue[]): string | undefined {
  if (typeof value === "string") return compileText(value, path, issues);
  if (typeof value !== "object" || value === null) return undefined;
  const entries = Object.entries(value).map(
    ([key, element]): [string, Json, string | undefined] => [
      key,
      element,
      compileValue(element, `${path}.${key}`, issues),
    ],
  );
  if (entries.every(([, , code]) => code === undefined)) return undefined;
  const codes = entries.map(([key, element, code]): [string, string] => [
    key,
    code ?? JSON.stringify(element),
  ]);
  if (Array.isArray(value)) return `[${codes.map(([, code]) => code).join(", ")}]`;
  // A computed key is never the prototype.
  return `({${codes.map(([key, code]) => `[${JSON.stringify(key)}]: ${code}`).join(", ")}})`;
}

function compileText(text: string, path: string, issues: Issue[]): string | undefined {
  if (!text.includes("{{")) return undefined;
  const parts = partsOf(text);
  if ("problem" in parts) {
    issues.push({ path, message: parts.problem });
    return undefined;
  }
  const [only, ...others] = parts.parts;
  if (only && "code" in only && others.length === 0) return `(${only.code})`;
  const codes = parts.parts.map((part) =>
    "code" in part ? `$text((${part.code}))` : JSON.stringify(part.text),
  );
  return `(${codes.join(" + ")})`;
}

function partsOf(text: string): { parts: Part[] } | { problem: string } {
  const parts: Part[] = [];
  let at = 0;
  for (let start = text.indexOf("{{"); start !== -1; start = text.indexOf("{{", at)) {
    if (start > at) parts.push({ text: text.slice(at, start) });
    const expression = expressionAt(text, start + "{{".length);
    if ("problem" in expression) return expression;
    parts.push({ code: expression.code });
    at = expression.end;
  }
  if (at < text.length) parts.push({ text: text.slice(at) });
  return { parts };
}

const GRAMMAR = { ecmaVersion: "latest", sourceType: "module" } as const;

/**
 * The expression that begins here and ends with `}}`: the grammar finds the end, so that it may contain braces itself.
 */
function expressionAt(
  text: string,
  start: number,
): { code: string; end: number } | { problem: string } {
  try {
    const node = parseExpressionAt(text, start, { ...GRAMMAR, preserveParens: true });
    const [closing] = /^\s*\}\}/.exec(text.slice(node.end)) ?? [];
    if (closing === undefined)
      return { problem: `${excerptOf(text, start)} is not a single expression that ends with }}` };
    const code = text.slice(node.start, node.end);
    // `await` is not allowed inside a function.
    parse(`(steps) => (${code})`, GRAMMAR);
    return { code, end: node.end + closing.length };
  } catch (error) {
    const reason = errorMessage(error);
    return { problem: `${excerptOf(text, start)} is not an expression: ${reason}` };
  }
}

function excerptOf(text: string, start: number): string {
  const excerpt = text.slice(start - "{{".length, start + 80);
  return excerpt.length + start - "{{".length < text.length ? `${excerpt}…` : excerpt;
}
