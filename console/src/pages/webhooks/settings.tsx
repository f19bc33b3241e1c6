import { Button } from "@cloudflare/kumo";
import { KeyIcon, TrashIcon } from "@phosphor-icons/react";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useParams, useRouter } from "@tanstack/react-router";

import {
  deleteWebhook,
  emittersQuery,
  rotateSecret,
  updateWebhook,
  type WebhookDetails,
  webhookQuery,
} from "../../api/webhooks.ts";
import { useAction } from "../../components/action.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { Form, FormDialog } from "../../components/form.tsx";
import { shownOnce } from "../../components/secret-once.tsx";
import { Card, Section } from "../../components/section.tsx";
import { emitterName } from "./emitter-name.ts";
import { webhookFields, webhookOf } from "./new-webhook.tsx";

const OVERLAPS: Record<string, string> = {
  "0": "None: the old secret becomes invalid now",
  "3600": "An hour",
  "86400": "A day",
  "604800": "A week",
  "2592000": "30 days",
};

/** The settings of a webhook, its secret, and its deletion. */
export function WebhookSettingsPage() {
  const { id } = useParams({ from: "/shell/webhooks/$id" });
  const { data: webhook } = useSuspenseQuery(webhookQuery(id));
  return (
    <>
      <Section title="Address and name">
        <Card>
          <EditForm key={webhook.updated_at} webhook={webhook} />
        </Card>
      </Section>
      <Section title="State">
        <Activity webhook={webhook} />
      </Section>
      <Section
        title="Signing secret"
        description="Shown once. Rotate it if it is lost or known to others."
      >
        <RotateSecret id={id} />
      </Section>
      <Section title="Delete">
        <DeleteWebhook webhook={webhook} />
      </Section>
    </>
  );
}

function EditForm({ webhook }: { webhook: WebhookDetails }) {
  const update = useAction({
    run: (fields: Parameters<typeof updateWebhook>[1]) => updateWebhook(webhook.id, fields),
    done: "Webhook saved",
    changes: [["webhooks"]],
    isFailureShown: true,
  });
  return (
    <Form
      fields={webhookFields(webhook)}
      submitLabel="Save"
      onSubmit={(values) => update.mutateAsync(webhookOf(values))}
    />
  );
}

function Activity({ webhook: { id, active } }: { webhook: WebhookDetails }) {
  const change = useAction({
    run: () => updateWebhook(id, { active: !active }),
    done: active ? "Webhook deactivated" : "Webhook activated",
    changes: [["webhooks"]],
  });
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Button loading={change.isPending} onClick={() => change.mutate()}>
        {active ? "Deactivate" : "Activate"}
      </Button>
      <p className="text-sm text-kumo-subtle">
        {active
          ? "While it is inactive, events of its subscriptions are not delivered."
          : "Nothing is delivered until it is activated."}
      </p>
    </div>
  );
}

function RotateSecret({ id }: { id: string }) {
  const rotate = useAction({
    run: (overlapSeconds: number) => rotateSecret(id, overlapSeconds),
    done: "Signing secret rotated",
    isFailureShown: true,
  });
  return (
    <div>
      <FormDialog
        name="rotate-secret"
        trigger={<Button icon={<KeyIcon />}>Rotate secret</Button>}
        title="Rotate the signing secret"
        description="Until the overlap ends, deliveries have a signature of both secrets, so no receiver refuses one meanwhile."
        fields={[
          {
            name: "overlap",
            label: "Overlap with the old secret",
            kind: "select",
            options: OVERLAPS,
            value: "86400",
          },
        ]}
        submitLabel="Rotate"
        onSubmit={async ({ overlap }) => {
          const { signing_secret } = await rotate.mutateAsync(Number(overlap));
          return shownOnce(signing_secret, "signing secret");
        }}
      />
    </div>
  );
}

function DeleteWebhook({ webhook: { id, name, url } }: { webhook: WebhookDetails }) {
  const router = useRouter();
  const { data: emitters = [] } = useQuery(emittersQuery(id));
  const remove = useAction({
    run: () => deleteWebhook(id),
    done: "Webhook deleted",
    changes: [["webhooks", "list"], ["overview"], ["search"]],
    isFailureShown: true,
  });
  return (
    <div>
      <ConfirmDialog
        name="delete"
        trigger={
          <Button variant="secondary-destructive" icon={<TrashIcon />}>
            Delete webhook
          </Button>
        }
        title={`Delete ${name ?? url}?`}
        description="This also deletes its subscriptions, its signing secret and its deliveries of the last seven days. Pending deliveries are not sent."
        confirmLabel="Delete webhook"
        onConfirm={async () => {
          await remove.mutateAsync();
          await router.navigate({ to: "/webhooks", replace: true });
        }}
      >
        {emitters.length > 0 && (
          <p className="text-kumo-subtle">
            Its subscriptions are to events of {emitters.map(emitterName).join(", ")}.
          </p>
        )}
      </ConfirmDialog>
    </div>
  );
}
