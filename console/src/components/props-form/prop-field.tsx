import { Button } from "@cloudflare/kumo";
import { XIcon } from "@phosphor-icons/react";
import { type ComponentType, useId } from "react";

import { AppControl } from "./app-control.tsx";
import { PlainControl, RemoteChoicesControl, WrittenChoicesControl } from "./choice-controls.tsx";
import { type ControlProps, type ControlTexts, usePropsFormState } from "./control.ts";
import { DataStoreControl } from "./data-store-control.tsx";
import { Note } from "./note.tsx";
import { RequestControl } from "./request-control.tsx";
import { RichText } from "./rich-text.tsx";
import { isNote, isRequired, type PropSpec } from "./spec.ts";
import { SqlControl } from "./sql-control.tsx";
import { BooleanControl } from "./text-controls.tsx";
import { TimerControl } from "./timer-control.tsx";

/** Types of single values with a control of their own. */
const SPECIAL = {
  "$.interface.timer": TimerControl,
  app: AppControl,
  data_store: DataStoreControl,
  http_request: RequestControl,
  sql: SqlControl,
} as const satisfies Record<string, ComponentType<ControlProps>>;

const CONTROLS = {
  ...SPECIAL,
  written: WrittenChoicesControl,
  remote: RemoteChoicesControl,
  boolean: BooleanControl,
  plain: PlainControl,
} as const satisfies Record<string, ComponentType<ControlProps>>;

/** One prop: its label and description, its value, and its error. */
export function PropField({ spec, onRemove }: { spec: PropSpec; onRemove?: () => void }) {
  const { values, problems, setValue } = usePropsFormState();
  const id = useId();
  const value = values[spec.name];
  if (isNote(spec)) return <Note spec={spec} configured={value} />;
  const Control = CONTROLS[kindOf(spec)];
  return (
    <div data-prop={spec.name} id={id} className="flex items-start gap-2">
      <div className="min-w-0 flex-1">
        <Control
          spec={spec}
          value={value}
          onChange={(next) => setValue(spec.name, next)}
          texts={textsOf(spec, problems[spec.name])}
        />
      </div>
      {onRemove && (
        <Button
          variant="ghost"
          shape="square"
          icon={<XIcon />}
          aria-label={`Remove ${spec.label}`}
          onClick={onRemove}
        />
      )}
    </div>
  );
}

function kindOf(spec: PropSpec): keyof typeof CONTROLS {
  if (!spec.isList && isSpecial(spec.type)) return spec.type;
  if (spec.choices && spec.choices.length > 0) return "written";
  if (spec.hasRemoteChoices) return "remote";
  return spec.type === "boolean" && !spec.isList ? "boolean" : "plain";
}

function isSpecial(type: string): type is keyof typeof SPECIAL {
  return Object.hasOwn(SPECIAL, type);
}

function textsOf(spec: PropSpec, problem: string | undefined): ControlTexts {
  return {
    label: spec.label,
    required: isRequired(spec),
    ...(spec.description !== undefined && { description: <RichText text={spec.description} /> }),
    ...(problem !== undefined && { error: `${spec.label} ${problem}` }),
  };
}
