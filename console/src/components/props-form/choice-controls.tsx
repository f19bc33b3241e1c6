import { Button } from "@cloudflare/kumo";
import { type ReactNode, useState } from "react";

import { ChoicePicker, ManyChoicesPicker } from "./choice-picker.tsx";
import { type ControlProps } from "./control.ts";
import { FailedChoices } from "./failed-choices.tsx";
import { ListControl } from "./list-control.tsx";
import { type Choice, isObject, type PropSpec, shown } from "./spec.ts";
import { JsonControl, NumberControl, TextControl } from "./text-controls.tsx";
import { useRemoteChoices } from "./use-remote-choices.ts";

/** One or several of the static choices of a prop. */
export function WrittenChoicesControl(props: ControlProps) {
  return <Picker {...props} choices={props.spec.choices ?? []} />;
}

/** One or several of the choices that the component returns, or a typed value instead. */
export function RemoteChoicesControl(props: ControlProps) {
  const { spec } = props;
  const [isTyping, setTyping] = useState(false);
  const remote = useRemoteChoices(spec);
  return (
    <div className="flex flex-col items-start gap-1">
      <div className="w-full">
        {isTyping ? (
          <PlainControl {...props} />
        ) : (
          <Picker
            {...props}
            choices={remote.choices}
            onOpen={remote.open}
            isLoading={remote.isLoading}
            onMore={remote.readOn}
            {...(spec.searchesChoices && { onSearch: remote.search })}
            {...(remote.failure !== undefined && {
              notice: <FailedChoices failure={remote.failure} onRetry={remote.retry} />,
            })}
          />
        )}
      </div>
      <Button variant="ghost" size="xs" onClick={() => setTyping(!isTyping)}>
        {isTyping ? "Choose from a list" : "Type a value instead"}
      </Button>
    </div>
  );
}

/** A value by its type only. */
export function PlainControl(props: ControlProps) {
  const { type, isList } = props.spec;
  const isNumber = type === "integer" || type === "number";
  if (isList)
    return type === "string" || isNumber ? <ListControl {...props} /> : <JsonControl {...props} />;
  if (isNumber) return <NumberControl {...props} />;
  return type === "string" ? <TextControl {...props} /> : <JsonControl {...props} />;
}

type PickerProps = ControlProps & {
  choices: Choice[];
  onOpen?: () => void;
  isLoading?: boolean;
  onMore?: (() => void) | undefined;
  onSearch?: (query: string) => void;
  notice?: ReactNode;
};

function Picker({ spec, value, onChange, ...picker }: PickerProps) {
  // The labels of chosen values: the list may have changed by then.
  const [known, setKnown] = useState<Choice[]>([]);
  const choiceOf = (one: unknown) => choiceFor(one, [...known, ...picker.choices]);
  const remember = (choices: Choice[]) =>
    setKnown((before) => [...choices, ...before].slice(0, 100));
  const shared = { ...picker, isDisabled: spec.isDisabled };
  if (spec.isList)
    return (
      <ManyChoicesPicker
        {...shared}
        values={elementsOf(value).map((one) => choiceOf(one))}
        onChange={(choices) => {
          remember(choices);
          onChange(
            choices.length === 0 ? undefined : choices.map((choice) => valueOf(choice, spec)),
          );
        }}
      />
    );
  return (
    <ChoicePicker
      {...shared}
      value={value === undefined ? undefined : choiceOf(value)}
      onChange={(choice) => {
        remember([choice]);
        onChange(valueOf(choice, spec));
      }}
      onClear={spec.isOptional ? () => onChange(undefined) : undefined}
    />
  );
}

/** The value to send for a choice: alone, or with its label if the component requires that. */
function valueOf(choice: Choice, { keepsLabels }: PropSpec): unknown {
  return keepsLabels ? { __lv: choice } : choice.value;
}

/** The choice of a value, with its best known label. */
function choiceFor(given: unknown, choices: Choice[]): Choice {
  const pair = isObject(given) && isObject(given["__lv"]) ? given["__lv"] : given;
  if (isObject(pair) && "label" in pair && "value" in pair)
    return { label: shown(pair["label"]), value: pair["value"] };
  const text = JSON.stringify(given);
  const found = choices.find(({ value }) => JSON.stringify(value) === text);
  return found ?? { label: shown(given), value: given };
}

function elementsOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
