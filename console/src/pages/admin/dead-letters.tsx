import { CheckCircleIcon } from "@phosphor-icons/react";
import { Link, useSearch } from "@tanstack/react-router";

import { failingWebhooksList, type FailingWebhook } from "../../api/operations.ts";
import { ChoiceLinks } from "../../components/choice-links.tsx";
import { CopyText } from "../../components/copy.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { formatNumber, formatPercent } from "../../components/format.ts";
import { LINK } from "../../components/links.tsx";
import { ListTable } from "../../components/list-table.tsx";
import { useRefresh } from "../../components/refresh.ts";
import { Section } from "../../components/section.tsx";
import { Status } from "../../components/status.tsx";
import type { Column } from "../../components/virtual-table.tsx";

const REFRESH_MS = 10_000;

const COLUMNS: Column<FailingWebhook>[] = [
  {
    id: "name",
    header: "Webhook",
    cell: ({ webhook_id, name, url }) => (
      <Link to="/admin/dead-letters/$id" params={{ id: webhook_id }} className={LINK}>
        {name ?? url}
      </Link>
    ),
  },
  { id: "url", header: "URL", cell: ({ url }) => <span title={url}>{url}</span> },
  {
    id: "state",
    header: "State",
    width: "8rem",
    cell: ({ active, inactive_reason }) => (
      <span title={inactive_reason ?? undefined}>
        <Status state={active ? "active" : "off"} />
      </span>
    ),
  },
  {
    id: "failed",
    header: "Failed attempts",
    width: "12rem",
    align: "right",
    cell: ({ deliveries, failed_deliveries }) =>
      `${formatNumber(failed_deliveries)} of ${formatNumber(deliveries)} (${formatPercent(failed_deliveries / Math.max(deliveries, 1))})`,
  },
  {
    id: "owner",
    header: "Owner",
    width: "11rem",
    cell: ({ owner_id }) => <CopyText value={owner_id} />,
  },
];

/** The webhooks whose deliveries fail, with the most failures first. */
export function DeadLettersPage() {
  const { hours = "24" } = useSearch({ from: "/shell/admin/dead-letters" });
  const list = failingWebhooksList(Number(hours) || 24);
  useRefresh(list.queryKey, REFRESH_MS);
  return (
    <Section
      title="Dead letters"
      description="Webhooks whose deliveries fail or were given up. One opens its deliveries, to send them again."
    >
      <div className="flex">
        <ChoiceLinks
          label="Hours shown"
          name="hours"
          choices={[
            ["1", "An hour"],
            ["", "A day"],
            ["168", "A week"],
          ]}
        />
      </div>
      <ListTable
        label="Failing webhooks"
        list={list}
        columns={COLUMNS}
        rowKey={({ webhook_id }) => webhook_id}
        minWidth="56rem"
        empty={
          <EmptyState
            icon={<CheckCircleIcon size={32} className="text-kumo-success" />}
            title="No delivery failed"
            sentence="Look at a longer time above."
          />
        }
      />
    </Section>
  );
}
