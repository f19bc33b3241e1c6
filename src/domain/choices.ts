import { z } from "zod";

import type { PropDefinition } from "./definition.ts";
import type { Json } from "./json.ts";

/** The choices that a form offers for a prop, and the context that it sends back for the next page. */
export type Choices = { options: Choice[]; context?: Json };

type Choice = { label: string; value: Json };

const ChoicesShape = z.object({
  options: z.array(z.object({ label: z.string(), value: z.custom<Json>() })),
  context: z.custom<Json>().exactOptional(),
});

/** Read the choices, JSON text, that a component's isolate returns; undefined if their shape is wrong. */
export function readChoices(text: string): Choices | undefined {
  try {
    return ChoicesShape.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** The static choices of a prop; undefined if it has none (docs/contract.md: Prop types). */
export function staticChoices({ options }: PropDefinition): Choices | undefined {
  if (!Array.isArray(options)) return undefined;
  return { options: options.map((option) => choiceOf(option)) };
}

/** A choice as declared: a value alone, or with its label. */
function choiceOf(option: Json): Choice {
  const isPair = typeof option === "object" && option !== null && !Array.isArray(option);
  if (!isPair) return { label: labelOf(option), value: option };
  const { label, value = label ?? option } = option;
  return { label: labelOf(label ?? value), value };
}

function labelOf(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
