import { fromJson, isJsonObject, type Json } from "#domain/json.ts";
import { truncate } from "#domain/truncation.ts";
import type { StepResult } from "#sandbox/user-code.ts";

import type { KeptInput, PlannedStep } from "./contract.ts";

/** Maximum bytes of JSON that are stored. */
const MAX_INPUT_BYTES = 32 * 1024;
const SIZES = { maxBytes: MAX_INPUT_BYTES, truncatedBytes: MAX_INPUT_BYTES };

/** The input of a step without props. */
export const NO_INPUT: KeptInput = { values: "{}", isTruncated: false };

/**
 * The props of a step as its owner may see them, with computed ones. They contain neither secrets nor accounts; the
 * input of a step is empty if its secret props are unknown.
 */
export function keptInput(
  { props, values, secrets }: Pick<PlannedStep, "props" | "values" | "secrets">,
  computed: StepResult["input"] = { values: "{}", isCut: false },
): KeptInput {
  if (secrets === undefined) return NO_INPUT;
  const shown = new Set(props.filter(({ type }) => type !== "app").map(({ name }) => name));
  for (const name of secrets) shown.delete(name);
  const given = [...Object.entries(values), ...fieldsOf(fromJson(computed.values))];
  const input = Object.fromEntries(given.filter(([name]) => shown.has(name)));
  const { payload, truncated } = truncate(JSON.stringify(input), SIZES);
  return { values: payload, isTruncated: truncated || computed.isCut };
}

/** An isolate reports JSON, but possibly not an object. */
function fieldsOf(value: Json): [string, Json][] {
  return isJsonObject(value) ? Object.entries(value) : [];
}
