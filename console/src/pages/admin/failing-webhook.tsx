import { Link, useParams, useSearch } from "@tanstack/react-router";

import { adminDeliveriesList } from "../../api/operations.ts";
import type { Delivery, DeliveryState } from "../../api/webhooks.ts";
import { ChoiceLinks } from "../../components/choice-links.tsx";
import { DELIVERY_STATES, deliveryColumns } from "../../components/delivery-columns.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { LinkButton } from "../../components/link-button.tsx";
import { LINK } from "../../components/links.tsx";
import { ListTable } from "../../components/list-table.tsx";
import { Section } from "../../components/section.tsx";
import type { Column } from "../../components/virtual-table.tsx";
import { RetryDelivery } from "./retry-delivery.tsx";

const STATES: DeliveryState[] = ["pending", "delivered", "failed", "dead"];

function columnsOf(webhookId: string): Column<Delivery>[] {
  return [
    {
      id: "id",
      header: "Delivery",
      cell: (delivery) => <span className="font-mono text-sm">{delivery.id}</span>,
    },
    ...deliveryColumns(),
    {
      id: "retry",
      header: "Send again",
      width: "7rem",
      cell: (delivery) => <RetryDelivery webhookId={webhookId} deliveryId={delivery.id} />,
    },
  ];
}

/** The deliveries of a user's webhook, which an operator can send again. */
export function FailingWebhookPage() {
  const { id } = useParams({ from: "/shell/admin/dead-letters/$id" });
  const { state: wanted } = useSearch({ from: "/shell/admin/dead-letters/$id" });
  const state = STATES.find((name) => name === wanted);
  return (
    <Section
      title={`Deliveries of ${id}`}
      actions={
        <Link to="/admin/dead-letters" className={LINK}>
          All failing webhooks
        </Link>
      }
    >
      <div className="flex">
        <ChoiceLinks label="State of deliveries" name="state" choices={DELIVERY_STATES} />
      </div>
      <ListTable
        label="Deliveries"
        list={adminDeliveriesList(id, state === undefined ? {} : { state })}
        columns={columnsOf(id)}
        rowKey={(delivery) => delivery.id}
        minWidth="58rem"
        empty={
          <EmptyState
            title={state === undefined ? "No delivery is kept" : "No delivery is in this state"}
            sentence="Deliveries are kept for seven days."
            action={
              state === undefined ? (
                <LinkButton to="/admin/dead-letters">All failing webhooks</LinkButton>
              ) : (
                <LinkButton to={`/admin/dead-letters/${id}`}>Show all states</LinkButton>
              )
            }
          />
        }
      />
    </Section>
  );
}
