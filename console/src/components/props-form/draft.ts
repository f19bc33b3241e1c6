import { isObject, type Values } from "./spec.ts";

/** Typed text that is not a value yet, such as half of a JSON object. */
export class Draft {
  readonly text: string;
  readonly problem: string;

  constructor(text: string, problem: string) {
    this.text = text;
    this.problem = problem;
  }
}

/** The first draft in a value, if it has one. */
export function draftIn(value: unknown): Draft | undefined {
  if (value instanceof Draft) return value;
  if (Array.isArray(value)) return firstDraft(value);
  return isObject(value) ? firstDraft(Object.values(value)) : undefined;
}

function firstDraft(values: unknown[]): Draft | undefined {
  for (const value of values) {
    const draft = draftIn(value);
    if (draft) return draft;
  }
  return undefined;
}

/** The complete values: those without a draft. */
export function withoutDrafts(values: Values): Values {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined && !draftIn(value)),
  );
}
