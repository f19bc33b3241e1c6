import { Button, LayerDialog } from "@cloudflare/kumo";
import { type ReactElement, type ReactNode, useId, useState } from "react";

import { FailureNotice } from "./failure-notice.tsx";
import { type FormField, FormFields, useForm, type Values } from "./form-fields.tsx";
import { useOpening } from "./opening.ts";

/** A form of a page, with one button. */
export function Form({
  fields,
  submitLabel,
  onSubmit,
}: {
  fields: FormField[];
  submitLabel: string;
  onSubmit: (values: Values) => Promise<unknown>;
}) {
  const { values, set, failure, isBusy, submit } = useForm(fields, onSubmit);
  return (
    <form
      onSubmit={(event) => void submit(event)}
      className="flex max-w-2xl flex-col items-stretch gap-4"
    >
      <FormFields fields={fields} values={values} set={set} />
      {failure !== undefined && <FailureNotice error={failure} />}
      <div>
        <Button type="submit" variant="primary" loading={isBusy}>
          {submitLabel}
        </Button>
      </div>
    </form>
  );
}

type DialogProps = {
  title: string;
  description?: string;
  fields: FormField[];
  submitLabel: string;
  /** Its result replaces the form, such as a secret; without one the dialog closes. */
  onSubmit: (values: Values) => Promise<ReactNode | void>;
};

/** A button that opens a form in a dialog, under a URL that ends in `#` and its name. */
export function FormDialog({
  trigger,
  name,
  ...props
}: DialogProps & { trigger: ReactElement; name: string }) {
  const { isOpen, key, setOpen } = useOpening(name);
  return (
    <LayerDialog.Root open={isOpen} onOpenChange={setOpen}>
      <LayerDialog.Trigger render={trigger} />
      <DialogForm key={key} {...props} onClose={() => setOpen(false)} />
    </LayerDialog.Root>
  );
}

function DialogForm({
  title,
  description,
  fields,
  submitLabel,
  onSubmit,
  onClose,
}: DialogProps & { onClose: () => void }) {
  const id = useId();
  const [outcome, setOutcome] = useState<ReactNode>();
  const { values, set, failure, isBusy, submit } = useForm(fields, onSubmit, (output) => {
    if (output === undefined) onClose();
    else setOutcome(output);
  });
  if (outcome !== undefined)
    return (
      <LayerDialog.Content size="sm">
        <LayerDialog.Title>{title}</LayerDialog.Title>
        <LayerDialog.Body>{outcome}</LayerDialog.Body>
        <LayerDialog.Actions dismissLabel="Close">
          <LayerDialog.Actions.Primary onClick={onClose}>Done</LayerDialog.Actions.Primary>
        </LayerDialog.Actions>
      </LayerDialog.Content>
    );
  return (
    <LayerDialog.Content size="sm">
      <LayerDialog.Title>{title}</LayerDialog.Title>
      {description !== undefined && (
        <LayerDialog.Description>{description}</LayerDialog.Description>
      )}
      <LayerDialog.Body>
        <form id={id} onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
          <FormFields fields={fields} values={values} set={set} />
          {failure !== undefined && <FailureNotice error={failure} />}
        </form>
      </LayerDialog.Body>
      <LayerDialog.Actions dismissLabel="Cancel">
        <LayerDialog.Actions.Primary type="submit" form={id} loading={isBusy} disabled={isBusy}>
          {submitLabel}
        </LayerDialog.Actions.Primary>
      </LayerDialog.Actions>
    </LayerDialog.Content>
  );
}
