import { Button } from "@cloudflare/kumo";
import { LightningIcon, PlusIcon } from "@phosphor-icons/react";
import { useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";

import { onePage } from "../../api/pages.ts";
import { queryClient } from "../../api/queries.ts";
import {
  type Emitter,
  emittersQuery,
  unsubscribe,
  type WebhookDetails,
  webhookQuery,
} from "../../api/webhooks.ts";
import { apiCommand } from "../../components/commands.ts";
import { DialogButton } from "../../components/dialog-button.tsx";
import { EmitterLink } from "../../components/emitter-link.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { ListTable } from "../../components/list-table.tsx";
import { dialogOf } from "../../components/opening.ts";
import { RowAction } from "../../components/row-action.tsx";
import { Section } from "../../components/section.tsx";
import { Status } from "../../components/status.tsx";
import type { Column } from "../../components/virtual-table.tsx";
import { EVERY, emitterName } from "./emitter-name.ts";
import { Subscribe } from "./subscribe.tsx";

const ROW_DIALOGS = ["unsubscribe"];

/** The emitters that a webhook is subscribed to. */
export function SubscriptionsPage() {
  const { id } = useParams({ from: "/shell/webhooks/$id" });
  const { data: webhook } = useSuspenseQuery(webhookQuery(id));
  const emitters = emittersQuery(id);
  return (
    <Section
      title="Subscriptions"
      description="This webhook receives the events of these sources and workflows."
      actions={<Subscribe webhook={webhook} trigger={<SubscribeButton />} />}
    >
      <ListTable
        label="Subscriptions"
        list={{
          queryKey: [...emitters.queryKey, "page"],
          read: async () => onePage(await queryClient.fetchQuery(emitters)),
        }}
        columns={columnsOf(webhook)}
        rowKey={({ subscription_id }) => subscription_id}
        dialogs={ROW_DIALOGS}
        empty={<NoSubscriptions webhook={webhook} />}
      />
    </Section>
  );
}

function columnsOf(webhook: WebhookDetails): Column<Emitter>[] {
  return [
    {
      id: "emitter",
      header: "From",
      cell: ({ type, id, name }) => EVERY[type] ?? <EmitterLink id={id} name={name ?? id} />,
    },
    {
      id: "channel",
      header: "Channel",
      width: "9rem",
      cell: ({ event_name }) => (event_name === "" ? "default" : event_name),
    },
    {
      id: "filter",
      header: "Filter",
      cell: ({ filter }) => <code className="text-sm">{filter ?? "every event"}</code>,
    },
    {
      id: "state",
      header: "State",
      width: "8rem",
      cell: ({ active }) =>
        active === null ? "–" : <Status state={active ? "active" : "paused"} />,
    },
    {
      id: "remove",
      header: "Remove",
      width: "5.5rem",
      cell: (emitter) => <Unsubscribe emitter={emitter} webhook={webhook} />,
    },
  ];
}

function Unsubscribe({ emitter, webhook: { id } }: { emitter: Emitter; webhook: WebhookDetails }) {
  const name = emitterName(emitter);
  return (
    <RowAction
      name={dialogOf("unsubscribe", emitter.subscription_id)}
      label={`Unsubscribe from ${name}`}
      title="Delete this subscription?"
      description={`The webhook receives no further events of ${name}. Pending deliveries are still sent.`}
      confirmLabel="Unsubscribe"
      run={() => unsubscribe(emitter, id)}
      done="Subscription deleted"
      changes={[["webhooks", id, "emitters"]]}
    />
  );
}

function SubscribeButton(props: object) {
  return (
    <Button variant="primary" icon={<PlusIcon />} {...props}>
      Subscribe
    </Button>
  );
}

function NoSubscriptions({ webhook }: { webhook: WebhookDetails }) {
  return (
    <EmptyState
      icon={<LightningIcon size={32} className="text-kumo-subtle" />}
      title="No subscriptions yet"
      sentence="Subscribe it to a source or a workflow."
      command={apiCommand("POST", "/subscriptions", {
        emitter_id: "dc_…",
        listener_id: webhook.id,
      })}
      action={
        <DialogButton name="subscribe" variant="primary" icon={<PlusIcon />}>
          Subscribe
        </DialogButton>
      }
    />
  );
}
