import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";

import { createWebhook, type WebhookFields } from "../../api/webhooks.ts";
import { useAction } from "../../components/action.ts";
import type { FormField, Values } from "../../components/form-fields.tsx";
import { FormDialog } from "../../components/form.tsx";
import { LINK } from "../../components/links.tsx";
import { SecretOnce } from "../../components/secret-once.tsx";
import { useOrg } from "../../layout/org.ts";

/** The fields of a webhook, empty or with their current values. */
export function webhookFields(webhook?: WebhookFields): FormField[] {
  return [
    {
      name: "url",
      label: "URL",
      kind: "url",
      isRequired: true,
      placeholder: "https://example.com/hook",
      description: "Each event is sent to it as a POST with JSON.",
      value: webhook?.url ?? "",
    },
    { name: "name", label: "Name", value: webhook?.name ?? "" },
    { name: "description", label: "Description", value: webhook?.description ?? "" },
  ];
}

/** The typed values of a webhook. */
export function webhookOf({ url = "", name, description }: Values): WebhookFields {
  return { url, name: name || null, description: description || null };
}

/** Creates a webhook, and shows its signing secret this once. */
export function NewWebhook({ trigger }: { trigger: ReactElement }) {
  const org = useOrg();
  const create = useAction({
    run: (fields: WebhookFields) => createWebhook(fields, org),
    done: "Webhook created",
    changes: [["webhooks", "list"]],
    isFailureShown: true,
  });
  return (
    <FormDialog
      name="new"
      trigger={trigger}
      title="New webhook"
      fields={webhookFields()}
      submitLabel="Create webhook"
      onSubmit={async (values) => {
        const { id, signing_secret } = await create.mutateAsync(webhookOf(values));
        return created(id, signing_secret);
      }}
    />
  );
}

function created(id: string, secret: string | null) {
  return (
    <div className="flex flex-col gap-4">
      {secret !== null && <SecretOnce secret={secret} what="signing secret" />}
      <p>Next:</p>
      <ul className="list-disc pl-5">
        <li>
          <Link to="/webhooks/$id/subscriptions" params={{ id }} replace className={LINK}>
            Subscribe it to a source
          </Link>
          , so that it receives events.
        </li>
        <li>
          <Link to="/webhooks/$id/verify" params={{ id }} replace className={LINK}>
            Verify signatures
          </Link>{" "}
          where the events arrive.
        </li>
      </ul>
    </div>
  );
}
