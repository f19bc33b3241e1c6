import { Button, Loader } from "@cloudflare/kumo";
import { PlusIcon } from "@phosphor-icons/react";
import { useState } from "react";

import { FailureNotice } from "../failure-notice.tsx";
import { PropsFormProvider } from "./control.ts";
import { PropField } from "./prop-field.tsx";
import { isNote, type PropSpec } from "./spec.ts";
import type { PropsFormState } from "./use-props-form.ts";

/** The fields of a component's props. Optional fields without a value are hidden until they are added. */
export function PropsForm({ form }: { form: PropsFormState }) {
  const [added, setAdded] = useState<ReadonlySet<string>>(new Set());
  const isOpen = (spec: PropSpec) =>
    !spec.isOptional ||
    isNote(spec) ||
    added.has(spec.name) ||
    form.values[spec.name] !== undefined;
  const hidden = form.specs.filter((spec) => !isOpen(spec));
  const add = (spec: PropSpec) => {
    setAdded((before) => new Set(before).add(spec.name));
    if (spec.type === "boolean" && !spec.isList) form.setValue(spec.name, false);
  };
  const remove = ({ name }: PropSpec) => {
    setAdded((before) => new Set([...before].filter((one) => one !== name)));
    form.setValue(name, undefined);
  };
  return (
    <PropsFormProvider value={form}>
      <div className="flex flex-col gap-6">
        {form.specs.length === 0 && (
          <p className="text-kumo-subtle">This component has nothing to fill in.</p>
        )}
        {form.specs.filter(isOpen).map((spec) => (
          <PropField
            key={spec.name}
            spec={spec}
            {...(isRemovable(spec) && { onRemove: () => remove(spec) })}
          />
        ))}
        {form.isReloading && (
          <output className="flex items-center gap-2 text-sm text-kumo-subtle">
            <Loader size="sm" /> Reading which fields follow
          </output>
        )}
        {form.reloadFailure !== undefined && (
          <FailureNotice
            title="The fields that follow could not be read"
            error={form.reloadFailure}
            onRetry={form.reload}
          />
        )}
        <HiddenProps hidden={hidden} onAdd={add} />
      </div>
    </PropsFormProvider>
  );
}

function isRemovable(spec: PropSpec): boolean {
  return spec.isOptional && !isNote(spec) && !spec.isDisabled;
}

function HiddenProps({ hidden, onAdd }: { hidden: PropSpec[]; onAdd: (spec: PropSpec) => void }) {
  if (hidden.length === 0) return null;
  return (
    <fieldset className="flex min-w-0 flex-col">
      <legend className="mb-2 text-sm text-kumo-subtle">Optional fields</legend>
      <div className="flex flex-wrap gap-2">
        {hidden.map((spec) => (
          <Button key={spec.name} size="sm" icon={<PlusIcon />} onClick={() => onAdd(spec)}>
            {spec.label}
          </Button>
        ))}
      </div>
    </fieldset>
  );
}
