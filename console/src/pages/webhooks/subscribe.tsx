import { LayerDialog } from "@cloudflare/kumo";
import { type FormEvent, type ReactElement, useId, useState } from "react";

import { subscribe, type WebhookDetails } from "../../api/webhooks.ts";
import { useAction } from "../../components/action.ts";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { type FormField, FormFields, type Values } from "../../components/form-fields.tsx";
import { useOpening } from "../../components/opening.ts";
import { type Picked, ResourcePicker } from "../../components/resource-picker.tsx";
import { useOrg } from "../../layout/org.ts";

const GLOBS: Picked[] = [
  { id: "dc_*", name: "All sources" },
  { id: "p_*", name: "All workflows" },
];

const FIELDS: FormField[] = [
  {
    name: "event_name",
    label: "Channel",
    placeholder: "$errors",
    description: "Empty: the default channel.",
  },
  {
    name: "filter",
    label: "Filter",
    placeholder: "event.status == 'paid'",
    description: "An expression over the event. Empty: every event.",
  },
];

/** Subscribes a webhook to a source or a workflow. */
export function Subscribe({
  webhook,
  trigger,
}: {
  webhook: WebhookDetails;
  trigger: ReactElement;
}) {
  const { isOpen, key, setOpen } = useOpening("subscribe");
  return (
    <LayerDialog.Root open={isOpen} onOpenChange={setOpen}>
      <LayerDialog.Trigger render={trigger} />
      <SubscribeForm key={key} webhookId={webhook.id} onDone={() => setOpen(false)} />
    </LayerDialog.Root>
  );
}

function SubscribeForm({ webhookId, onDone }: { webhookId: string; onDone: () => void }) {
  const formId = useId();
  const org = useOrg();
  const [emitter, setEmitter] = useState<Picked | null>(null);
  const [values, setValues] = useState<Values>({});
  const create = useAction({
    run: subscribe,
    done: "Subscribed",
    changes: [["webhooks", webhookId, "emitters"]],
    onDone,
    isFailureShown: true,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!emitter) return;
    const { event_name, filter } = values;
    create.mutate({
      emitter_id: emitter.id,
      listener_id: webhookId,
      ...(event_name ? { event_name } : {}),
      ...(filter ? { filter } : {}),
      ...(org === undefined ? {} : { org_id: org }),
    });
  };
  return (
    <LayerDialog.Content size="sm">
      <LayerDialog.Title>Subscribe to events</LayerDialog.Title>
      <LayerDialog.Body>
        <form id={formId} onSubmit={submit} className="flex flex-col gap-4">
          <ResourcePicker
            label="Source or workflow"
            types={["source", "workflow"]}
            first={GLOBS}
            value={emitter}
            onChange={setEmitter}
          />
          <FormFields
            fields={FIELDS}
            values={values}
            set={(name, value) => setValues({ ...values, [name]: value })}
          />
          {create.error && <FailureNotice error={create.error} />}
        </form>
      </LayerDialog.Body>
      <LayerDialog.Actions dismissLabel="Cancel">
        <LayerDialog.Actions.Primary
          type="submit"
          form={formId}
          loading={create.isPending}
          disabled={create.isPending || !emitter}
        >
          Subscribe
        </LayerDialog.Actions.Primary>
      </LayerDialog.Actions>
    </LayerDialog.Content>
  );
}
