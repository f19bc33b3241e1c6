import { Button, Input } from "@cloudflare/kumo";
import { PlusIcon, XIcon } from "@phosphor-icons/react";
import { type ClipboardEvent, type KeyboardEvent, useEffect, useRef } from "react";

import type { ControlProps } from "./control.ts";
import { Draft } from "./draft.ts";
import { FieldGroup } from "./field-group.tsx";
import { type PropSpec, shown } from "./spec.ts";
import { readNumber } from "./text-controls.tsx";

/** Several texts or numbers, one in each row. Enter adds a row, and pasted lines become rows. */
export function ListControl({ spec, value, onChange, texts }: ControlProps) {
  const rows = Array.isArray(value) ? value : [];
  const { setFocus, ref } = useRowFocus();
  const replace = (next: unknown[], focused?: number) => {
    onChange(next.length === 0 && spec.default === undefined ? undefined : next);
    if (focused !== undefined) setFocus(focused);
  };
  const isNumeric = spec.type !== "string";
  const onKeyDown = (event: KeyboardEvent, index: number) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    replace(rows.toSpliced(index + 1, 0, ""), index + 1);
  };
  const onPaste = (event: ClipboardEvent, index: number) => {
    const lines = event.clipboardData.getData("text").split(/\r?\n/).filter(Boolean);
    if (lines.length < 2) return;
    event.preventDefault();
    const pasted = lines.map((line) => readRow(line, spec));
    replace(rows.toSpliced(index, 1, ...pasted), index + pasted.length - 1);
  };
  return (
    <FieldGroup {...texts}>
      <div ref={ref} className="flex flex-col gap-2">
        {rows.map((row, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- rows have no identity but their index.
          <div key={index} className="flex gap-2">
            <Input
              aria-label={`${spec.label}, value ${index + 1}`}
              type={isNumeric ? "number" : "text"}
              disabled={spec.isDisabled}
              className="min-w-0 flex-1"
              value={row instanceof Draft ? row.text : shown(row)}
              onKeyDown={(event) => onKeyDown(event, index)}
              onPaste={(event) => onPaste(event, index)}
              onChange={(event) => replace(rows.with(index, readRow(event.target.value, spec)))}
            />
            <Button
              variant="ghost"
              shape="square"
              icon={<XIcon />}
              aria-label={`Remove value ${index + 1} of ${spec.label}`}
              onClick={() => replace(rows.toSpliced(index, 1), Math.max(0, index - 1))}
            />
          </div>
        ))}
      </div>
      <Button
        size="sm"
        icon={<PlusIcon />}
        className="self-start"
        disabled={spec.isDisabled}
        onClick={() => replace([...rows, ""], rows.length)}
      >
        Add a value
      </Button>
    </FieldGroup>
  );
}

function readRow(text: string, { type }: PropSpec): unknown {
  return type === "string" ? text : (readNumber(text) ?? new Draft("", "must be a number"));
}

/** Focuses a row once it is rendered. */
function useRowFocus() {
  const ref = useRef<HTMLDivElement>(null);
  const wanted = useRef<number>(undefined);
  useEffect(() => {
    if (wanted.current === undefined) return;
    ref.current?.querySelectorAll("input")[wanted.current]?.focus();
    wanted.current = undefined;
  });
  const setFocus = (row: number) => {
    wanted.current = row;
  };
  return { ref, setFocus };
}
