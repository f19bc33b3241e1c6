import { InputArea } from "@cloudflare/kumo";

import type { ControlProps } from "./control.ts";
import { Draft } from "./draft.ts";
import { FieldGroup } from "./field-group.tsx";
import { isObject } from "./spec.ts";
import { useTypedText } from "./use-typed-text.ts";

/** A query with its parameters, which the component sends to its database. */
export function SqlControl({ spec, value, onChange, texts }: ControlProps) {
  const given = sqlOf(value);
  const query = textOf(given["query"] ?? given["value"]);
  const change = (fields: Record<string, unknown>) => {
    const next: Record<string, unknown> = { ...given, query, ...fields };
    onChange(next["query"] === "" && !next["params"] ? undefined : next);
  };
  const [params, typeParams] = useTypedText(given["params"], writtenParams, (text) => {
    const next = readParams(text);
    change({ params: next });
    return next;
  });
  return (
    <FieldGroup {...texts}>
      <InputArea
        aria-label={`${spec.label}, query`}
        autoResize
        minRows={3}
        maxRows={24}
        spellCheck={false}
        className="font-mono text-sm"
        placeholder="SELECT * FROM orders WHERE id > $1"
        disabled={spec.isDisabled}
        value={query}
        onValueChange={(next) => change({ query: next })}
      />
      <InputArea
        label="Parameters"
        description="A list in JSON, in the order of the query"
        autoResize
        minRows={1}
        spellCheck={false}
        className="font-mono text-sm"
        placeholder="[42]"
        disabled={spec.isDisabled}
        value={params}
        onValueChange={typeParams}
      />
    </FieldGroup>
  );
}

function sqlOf(value: unknown): Record<string, unknown> {
  if (typeof value === "string") return { query: value };
  return isObject(value) ? value : {};
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function writtenParams(value: unknown): string {
  if (value instanceof Draft) return value.text;
  return Array.isArray(value) && value.length > 0 ? JSON.stringify(value) : "";
}

function readParams(text: string): unknown {
  if (text.trim() === "") return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value;
  } catch {
    // An incomplete list is a draft.
  }
  return new Draft(text, "needs its parameters as a list in JSON, such as [42]");
}
