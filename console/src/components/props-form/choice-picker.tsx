import { Button, Combobox, Loader } from "@cloudflare/kumo";
import { type ReactNode, useRef, useState } from "react";

import type { ControlTexts } from "./control.ts";
import { type Choice, shown } from "./spec.ts";

/** Maximum rows of a list; typing finds the others. */
const MAX_SHOWN = 99;

/** The last entry of a page, which loads the next one. */
const MORE: Choice = { label: "More…", value: Symbol("more") };

type PickerProps = {
  texts: ControlTexts;
  choices: Choice[];
  isDisabled?: boolean;
  onOpen?: () => void;
  /** Searches the choices remotely, by the typed text. */
  onSearch?: (query: string) => void;
  isLoading?: boolean;
  /** Shown instead of choices: the reason why there are none. */
  notice?: ReactNode;
  onMore?: (() => void) | undefined;
};

/** Chooses one of several values. Typing filters them. */
export function ChoicePicker({
  value,
  onChange,
  onClear,
  ...picker
}: PickerProps & {
  value: Choice | undefined;
  onChange: (choice: Choice) => void;
  onClear?: (() => void) | undefined;
}) {
  const list = useChoiceList(picker);
  return (
    <div className="flex items-end gap-2">
      <div className="min-w-0 flex-1">
        <Combobox<Choice>
          {...list.root}
          value={value ?? null}
          onValueChange={(choice) => {
            if (choice !== null && !list.readOn(choice)) onChange(choice);
          }}
        >
          <Combobox.TriggerValue className="w-full" placeholder="Choose…" />
          <Choices list={list} picker={picker} hasSearch />
        </Combobox>
      </div>
      {onClear && value && !picker.isDisabled && (
        <Button variant="ghost" onClick={onClear}>
          Clear
        </Button>
      )}
    </div>
  );
}

/** Chooses some of several values. */
export function ManyChoicesPicker({
  values,
  onChange,
  ...picker
}: PickerProps & { values: Choice[]; onChange: (choices: Choice[]) => void }) {
  const list = useChoiceList(picker);
  return (
    <Combobox<Choice, true>
      {...list.root}
      multiple
      value={values}
      onValueChange={(choices) => {
        if (!choices.some((choice) => list.readOn(choice))) onChange(choices);
      }}
    >
      <Combobox.TriggerMultipleWithInput<Choice>
        placeholder="Choose…"
        className="w-full"
        renderItem={(choice) => (
          <Combobox.Chip key={choice.label} removeLabel={`Remove ${choice.label}`}>
            {choice.label}
          </Combobox.Chip>
        )}
      />
      <Choices list={list} picker={picker} />
    </Combobox>
  );
}

function Choices({
  list,
  picker: { isLoading = false, notice },
  hasSearch = false,
}: {
  list: ReturnType<typeof useChoiceList>;
  picker: PickerProps;
  hasSearch?: boolean;
}) {
  return (
    <Combobox.Content>
      {hasSearch && <Combobox.Input placeholder="Search" aria-label="Search" />}
      {notice !== undefined && <div className="px-3 py-2">{notice}</div>}
      <Combobox.Empty>{list.emptyText}</Combobox.Empty>
      <Combobox.List>
        {(choice: Choice) => (
          <Combobox.Item key={keyOf(choice)} value={choice}>
            {choice.label}
          </Combobox.Item>
        )}
      </Combobox.List>
      {isLoading && (
        <output className="flex items-center gap-2 px-3 py-2 text-sm text-kumo-subtle">
          <Loader size="sm" /> Reading choices
        </output>
      )}
    </Combobox.Content>
  );
}

/** The choices that match the typed text, and the props of the list beside its value. */
function useChoiceList({ texts, choices, isDisabled = false, ...picker }: PickerProps) {
  const { onOpen, onSearch, onMore, isLoading = false, notice } = picker;
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState("");
  const matching = onSearch ? choices : matchesIn(choices, typed);
  const shownOnes = matching.slice(0, MAX_SHOWN);
  const isReadingOn = useRef(false);
  const readOn = (choice: Choice) => {
    isReadingOn.current = choice.value === MORE.value;
    if (isReadingOn.current) onMore?.();
    return isReadingOn.current;
  };
  const root = {
    ...texts,
    items: onMore ? [...shownOnes, MORE] : shownOnes,
    filter: null,
    disabled: isDisabled,
    open: isOpen,
    isItemEqualToValue: (one: Choice, other: Choice) => keyOf(one) === keyOf(other),
    onOpenChange: (open: boolean, { reason }: { reason: string }) => {
      // More choices appear in the open list.
      if (!open && reason === "item-press" && isReadingOn.current) return;
      setOpen(open);
      if (open) onOpen?.();
    },
    onInputValueChange: (text: string, { reason }: { reason: string }) => {
      const query = reason === "input-change" ? text : "";
      setTyped(query);
      onSearch?.(query);
    },
  };
  const isQuiet = isLoading || notice !== undefined;
  return { root, readOn, emptyText: isQuiet ? "" : "No choice matches" };
}

function matchesIn(choices: Choice[], typed: string): Choice[] {
  const words = typed.trim().toLowerCase();
  if (words === "") return choices;
  return choices.filter(
    ({ label, value }) =>
      label.toLowerCase().includes(words) || shown(value).toLowerCase().includes(words),
  );
}

/** The key of a choice: values may have any type. */
function keyOf({ value }: Choice): string {
  return typeof value === "symbol" ? "more" : JSON.stringify(value);
}
