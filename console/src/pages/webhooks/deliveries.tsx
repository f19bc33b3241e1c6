import { PaperPlaneTiltIcon } from "@phosphor-icons/react";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";

import { deliveriesList, type Delivery } from "../../api/webhooks.ts";
import { ChoiceLinks } from "../../components/choice-links.tsx";
import { apiCommand } from "../../components/commands.ts";
import { DELIVERY_STATES, deliveryColumns } from "../../components/delivery-columns.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { LinkButton } from "../../components/link-button.tsx";
import { LINK } from "../../components/links.tsx";
import { ListTable } from "../../components/list-table.tsx";
import { useRefresh } from "../../components/refresh.ts";
import type { Column } from "../../components/virtual-table.tsx";
import { useEmitterNames } from "./emitter-name.ts";

const REFRESH_MS = 5000;

function columnsOf(id: string, names: ReadonlyMap<string, string>): Column<Delivery>[] {
  return [
    {
      id: "id",
      header: "Delivery",
      cell: (delivery) => (
        <Link
          to="/webhooks/$id/deliveries/$deliveryId"
          params={{ id, deliveryId: delivery.id }}
          className={`${LINK} font-mono text-sm`}
        >
          {delivery.id}
        </Link>
      ),
    },
    ...deliveryColumns(names),
  ];
}

/** The deliveries of a webhook, newest first. */
export function DeliveriesPage() {
  const { id } = useParams({ from: "/shell/webhooks/$id" });
  const filter = useSearch({ from: "/shell/webhooks/$id/" });
  const list = deliveriesList(id, filter);
  const names = useEmitterNames(id);
  const columns = useMemo(() => columnsOf(id, names), [id, names]);
  useRefresh(list.queryKey, REFRESH_MS);
  return (
    <>
      <div className="mb-4 flex">
        <ChoiceLinks label="State of deliveries" name="state" choices={DELIVERY_STATES} />
      </div>
      <ListTable
        label="Deliveries"
        list={list}
        columns={columns}
        rowKey={(delivery) => delivery.id}
        minWidth="56rem"
        empty={<NoDeliveries id={id} isFiltered={filter.state !== undefined} />}
      />
    </>
  );
}

function NoDeliveries({ id, isFiltered }: { id: string; isFiltered: boolean }) {
  if (isFiltered)
    return (
      <EmptyState
        title="No delivery is in this state"
        sentence="Deliveries are kept for seven days."
        action={<LinkButton to={`/webhooks/${id}`}>Show all states</LinkButton>}
      />
    );
  return (
    <EmptyState
      icon={<PaperPlaneTiltIcon size={32} className="text-kumo-subtle" />}
      title="Nothing was delivered yet"
      sentence="Deliveries show here as soon as a source that this webhook is subscribed to emits an event."
      command={apiCommand("POST", "/subscriptions", { emitter_id: "dc_…", listener_id: id })}
      action={
        <Link to="/webhooks/$id/subscriptions" params={{ id }} className={LINK}>
          Subscribe it to a source
        </Link>
      }
    />
  );
}
