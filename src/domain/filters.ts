import { type Expression, type Node, parseExpressionAt } from "acorn";

import { errorMessage, type Issue } from "./errors.ts";
import {
  type Evaluation,
  fieldOf,
  type FilterScope,
  isAbsent,
  MAX_WORK,
  METHODS,
  numberOf,
  OPERATORS,
  type Value,
} from "./filter-values.ts";
import type { Json } from "./json.ts";

export type { FilterScope } from "./filter-values.ts";

export const MAX_FILTER_LENGTH = 1000;
const MAX_DEPTH = 100;

const VARIABLES = ["event", "id", "name", "summary", "ts", "source"] as const;

type Compiled = (evaluation: Evaluation) => Value;

/** The remaining work of several filters: characters and elements, about ten nanoseconds each. */
export type WorkBudget = { left: number };

/** Whether an event matches. The cost is deducted from the budget, which may become negative. */
export type Filter = (scope: FilterScope, budget?: WorkBudget) => boolean;

/** Work for each character of a compiled expression. */
const COMPILATION_WORK = 100;

/** The part of an expression that breaks a rule. */
class FilterError extends Error {
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

/** The reason why an expression cannot be a filter, or undefined. */
export function issueOfFilter(text: string): Issue | undefined {
  const problem = read(text);
  return typeof problem === "string" ? { path: "filter", message: problem } : undefined;
}

/**
 * Compile an expression to a function. It never throws: an event on which the expression fails does not match, and no
 * event matches an invalid expression.
 */
export function compileFilter(text: string, budget: WorkBudget = { left: 0 }): Filter {
  budget.left -= COMPILATION_WORK * Math.min(text.length, MAX_FILTER_LENGTH);
  const compiled = read(text);
  if (typeof compiled === "string") return () => false;
  return (scope, allowance = { left: 0 }) => {
    const evaluation = { scope, work: MAX_WORK };
    try {
      return Boolean(compiled(evaluation));
    } catch {
      // A failure here must not hold up the other listeners of the batch.
      return false;
    } finally {
      allowance.left -= text.length + MAX_WORK - Math.max(0, evaluation.work);
    }
  };
}

/** The function of an expression, or the rule that it breaks and the position. */
function read(text: string): Compiled | string {
  if (text.length > MAX_FILTER_LENGTH)
    return `must have at most ${MAX_FILTER_LENGTH} characters, not ${text.length}`;
  try {
    const node = parseExpressionAt(text, 0, { ecmaVersion: "latest", sourceType: "module" });
    const rest = /\S/.exec(text.slice(node.end));
    if (rest) throw new FilterError(node.end + rest.index, "must be one expression");
    return compile(node, 1);
  } catch (error) {
    return problemOf(error);
  }
}

function problemOf(error: unknown): string {
  if (error instanceof FilterError) return `character ${error.at + 1}: ${error.message}`;
  if (error instanceof SyntaxError) {
    const at = "pos" in error && typeof error.pos === "number" ? error.pos : 0;
    return `character ${at + 1}: ${errorMessage(error).replace(/ \(\d+:\d+\)$/, "")}`;
  }
  // The parser calls itself for each level.
  if (error instanceof RangeError)
    return `character 1: must be nested at most ${MAX_DEPTH} levels deep`;
  throw error;
}

/** Compiles the parts of an expression, one level further down. */
type Next = (inner: Node) => Compiled;
type NodeOf<Type extends Expression["type"]> = Extract<Expression, { type: Type }>;

function compile(node: Node, depth: number): Compiled {
  if (depth > MAX_DEPTH)
    throw new FilterError(node.start, `must be nested at most ${MAX_DEPTH} levels deep`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- acorn types its nodes by this union; others are refused below.
  const expression = node as Expression;
  const next: Next = (inner) => compile(inner, depth + 1);
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- other types are refused.
  switch (expression.type) {
    case "Literal":
      return literal(expression);
    case "Identifier":
      return variable(expression);
    case "ArrayExpression":
      return list(expression, next);
    case "ChainExpression":
      return chain(next(expression.expression));
    case "MemberExpression":
      return member(expression, next);
    case "CallExpression":
      return call(expression, next);
    default:
      return operation(expression, next);
  }
}

function operation(expression: Expression, next: Next): Compiled {
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- other types are refused.
  switch (expression.type) {
    case "UnaryExpression":
      return unary(expression, next);
    case "LogicalExpression":
      return logical(expression, next);
    case "BinaryExpression":
      return binary(expression, next);
    case "ConditionalExpression":
      return conditional(expression, next);
    default:
      return refuse(expression);
  }
}

function list(node: NodeOf<"ArrayExpression">, next: Next): Compiled {
  const elements = node.elements.map((element) => next(element ?? refuse(node)));
  return (evaluation) => elements.map((element) => element(evaluation) ?? null);
}

function member(node: NodeOf<"MemberExpression">, next: Next): Compiled {
  const { property, computed, optional } = node;
  const object = next(node.object);
  const key = computed ? next(property) : constant(nameOf(property));
  return (evaluation) => {
    const value = object(evaluation);
    if (optional && isAbsent(value)) throw ABSENT;
    return fieldOf(value, key(evaluation));
  };
}

function call(node: NodeOf<"CallExpression">, next: Next): Compiled {
  const { callee, arguments: given } = node;
  if (callee.type !== "MemberExpression" || callee.computed) return refuse(node);
  const at = callee.property.start;
  const method = METHODS.get(nameOf(callee.property));
  if (!method)
    throw new FilterError(at, `must be one of the methods ${[...METHODS.keys()].join(", ")}`);
  if (given.length !== method.takes)
    throw new FilterError(at, `must be called with ${method.takes} values`);
  const object = next(callee.object);
  const [argument = constant(null)] = given.map(next);
  return (evaluation) => {
    const value = object(evaluation);
    if (callee.optional && isAbsent(value)) throw ABSENT;
    return method.apply(value, argument(evaluation), evaluation);
  };
}

function unary(node: NodeOf<"UnaryExpression">, next: Next): Compiled {
  const operand = next(node.argument);
  if (node.operator === "!") return (evaluation) => !operand(evaluation);
  if (node.operator === "-") return (evaluation) => -numberOf(operand(evaluation));
  return refuse(node, `the operator ${node.operator}`);
}

function logical(node: NodeOf<"LogicalExpression">, next: Next): Compiled {
  const [left, right] = [next(node.left), next(node.right)];
  if (node.operator === "&&") return (evaluation) => left(evaluation) && right(evaluation);
  if (node.operator === "||") return (evaluation) => left(evaluation) || right(evaluation);
  return (evaluation) => left(evaluation) ?? right(evaluation);
}

function conditional(node: NodeOf<"ConditionalExpression">, next: Next): Compiled {
  const [test, then] = [next(node.test), next(node.consequent)];
  const otherwise = next(node.alternate);
  return (evaluation) => (test(evaluation) ? then(evaluation) : otherwise(evaluation));
}

function binary(node: NodeOf<"BinaryExpression">, next: Next): Compiled {
  const operate = OPERATORS.get(node.operator);
  if (!operate) return refuse(node, `the operator ${node.operator}`);
  const [left, right] = [next(node.left), next(node.right)];
  return (evaluation) => operate(left(evaluation), right(evaluation), evaluation);
}

/** Thrown if `?.` finds nothing: the whole chain is absent. */
class Absent extends Error {}
const ABSENT = new Absent();

function chain(inner: Compiled): Compiled {
  return (evaluation) => {
    try {
      return inner(evaluation);
    } catch (error) {
      if (error === ABSENT) return undefined;
      throw error;
    }
  };
}

function refuse(node: Node, what?: string): never {
  const name = what ?? node.type.replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
  throw new FilterError(node.start, `${name} is not allowed in a filter`);
}

function literal(node: NodeOf<"Literal">): Compiled {
  const { value } = node;
  if (value === null ? node.raw === "null" : ["string", "number", "boolean"].includes(typeof value))
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the line above leaves nothing else.
    return constant(value as Json);
  return refuse(node, node.raw ?? "this literal");
}

function constant(value: Json): Compiled {
  return () => value;
}

function variable({ name, start }: NodeOf<"Identifier">): Compiled {
  if (name === "undefined") return () => undefined;
  const known = VARIABLES.find((one) => one === name);
  if (known) return ({ scope }) => scope[known];
  const rule = `${name} is not a variable; there are ${VARIABLES.join(", ")}`;
  throw new FilterError(start, rule);
}

function nameOf(node: Node): string {
  if (node.type !== "Identifier") return refuse(node);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its type is checked above.
  return (node as NodeOf<"Identifier">).name;
}
