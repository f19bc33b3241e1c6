import { Input, InputArea, Switch } from "@cloudflare/kumo";

import { type ControlProps, usePropsFormState } from "./control.ts";
import { Draft } from "./draft.ts";
import { isObject, type PropSpec, shown } from "./spec.ts";
import { useTypedText } from "./use-typed-text.ts";

const MAX_ROWS = 12;

/** One text; a secret is masked, and never shown again. */
export function TextControl({ spec, value, onChange, texts }: ControlProps) {
  const { isNew } = usePropsFormState();
  const text = value === undefined || value === null ? "" : shown(value);
  // An empty text overrides a default; without a default, an empty text is absent.
  const onType = (typed: string) =>
    onChange(typed === "" && spec.default === undefined ? undefined : typed);
  if (spec.isSecret)
    return (
      <Input
        {...texts}
        type="password"
        autoComplete="new-password"
        disabled={spec.isDisabled}
        placeholder={isNew ? "" : "The secret is kept unless you type another"}
        value={text}
        onChange={(event) => onType(event.target.value)}
      />
    );
  return (
    <InputArea
      {...texts}
      autoResize
      minRows={1}
      maxRows={MAX_ROWS}
      spellCheck={false}
      disabled={spec.isDisabled}
      value={text}
      onValueChange={onType}
    />
  );
}

/** A number, whole or not. */
export function NumberControl({ spec, value, onChange, texts }: ControlProps) {
  const [text, type] = useTypedText(value, writtenNumber, (typed) => {
    const next = readNumber(typed);
    onChange(next);
    return next;
  });
  return (
    <Input
      {...texts}
      type="number"
      inputMode={spec.type === "integer" ? "numeric" : "decimal"}
      step={spec.type === "integer" ? 1 : "any"}
      disabled={spec.isDisabled}
      {...(spec.min !== undefined && { min: spec.min })}
      {...(spec.max !== undefined && { max: spec.max })}
      value={text}
      onChange={(event) => type(event.target.value)}
    />
  );
}

function writtenNumber(value: unknown): string {
  if (value instanceof Draft) return value.text;
  return value === undefined || value === null ? "" : shown(value);
}

/** The number in a text; undefined if it is empty. */
export function readNumber(text: string): number | Draft | undefined {
  if (text.trim() === "") return undefined;
  const number = Number(text);
  return Number.isNaN(number) ? new Draft(text, "must be a number") : number;
}

export function BooleanControl({ spec, value, onChange, texts }: ControlProps) {
  return (
    <div className="flex flex-col gap-1">
      <Switch
        label={texts.label}
        disabled={spec.isDisabled}
        checked={value === true}
        onCheckedChange={onChange}
      />
      {texts.description !== undefined && (
        <p className="text-sm text-kumo-subtle">{texts.description}</p>
      )}
      {texts.error !== undefined && <p className="text-sm text-kumo-danger">{texts.error}</p>}
    </div>
  );
}

/** Objects, lists of them, and values of any kind, as JSON. */
export function JsonControl({ spec, value, onChange, texts }: ControlProps) {
  const [text, type] = useTypedText(value, writtenJson, (typed) => {
    const next = readJson(typed, spec);
    onChange(next);
    return next;
  });
  return (
    <InputArea
      {...texts}
      autoResize
      minRows={3}
      maxRows={MAX_ROWS * 2}
      spellCheck={false}
      className="font-mono text-sm"
      placeholder={placeholderOf(spec)}
      disabled={spec.isDisabled}
      value={text}
      onValueChange={type}
    />
  );
}

function placeholderOf({ type, isList }: PropSpec): string {
  if (isList) return type === "object" ? '[{"key": "value"}]' : '["a", 1]';
  return type === "any" ? 'Text, or JSON such as {"key": "value"}' : '{"key": "value"}';
}

function writtenJson(value: unknown): string {
  if (value instanceof Draft) return value.text;
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

function readJson(text: string, { type, isList }: PropSpec): unknown {
  if (text.trim() === "") return undefined;
  const value = parsed(text);
  if (isList)
    return Array.isArray(value) ? value : new Draft(text, "must be a list in JSON, such as [1, 2]");
  if (type === "any") return value === undefined ? text : value;
  return isObject(value)
    ? value
    : new Draft(text, 'must be a JSON object, such as {"key": "value"}');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
