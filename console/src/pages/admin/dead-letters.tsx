import { CheckCircleIcon } from "@phosphor-icons/react";
import { Link, useSearch } from "@tanstack/react-router";

import {
  allParkedEventsList,
  type DeadLetter,
  deadLettersList,
  failingWebhooksList,
  type FailingWebhook,
} from "../../api/operations.ts";
import { ChoiceLinks } from "../../components/choice-links.tsx";
import { adminCommand } from "../../components/commands.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { formatNumber, formatPercent } from "../../components/format.ts";
import { LINK } from "../../components/links.tsx";
import { ListTable } from "../../components/list-table.tsx";
import { OwnerLink } from "../../components/owner-link.tsx";
import { ParkedEvents } from "../../components/parked-events.tsx";
import { useRefresh } from "../../components/refresh.ts";
import { Section } from "../../components/section.tsx";
import { Status } from "../../components/status.tsx";
import { Time } from "../../components/time.tsx";
import type { Column } from "../../components/virtual-table.tsx";
import { RetryDelivery } from "./retry-delivery.tsx";

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
    cell: ({ owner_id }) => <OwnerLink id={owner_id} />,
  },
];

const LETTERS: Column<DeadLetter>[] = [
  {
    id: "at",
    header: "Last attempt",
    width: "9rem",
    cell: ({ last_attempt_at: at }) => (at === null ? "–" : <Time at={at} />),
  },
  {
    id: "webhook",
    header: "Webhook",
    cell: ({ webhook_id, webhook_name, url }) => (
      <Link
        to="/admin/dead-letters/$id"
        params={{ id: webhook_id }}
        search={{ state: "dead" }}
        className={LINK}
      >
        {webhook_name ?? url}
      </Link>
    ),
  },
  {
    id: "why",
    header: "Why",
    cell: ({ last_status, last_error }) =>
      last_error ?? (last_status === null ? "–" : `HTTP ${last_status}`),
  },
  {
    id: "attempts",
    header: "Attempts",
    width: "6rem",
    align: "right",
    cell: (one) => one.attempts,
  },
  {
    id: "owner",
    header: "Owner",
    width: "11rem",
    cell: ({ owner_id }) => <OwnerLink id={owner_id} />,
  },
  {
    id: "retry",
    header: "Send again",
    width: "7rem",
    cell: ({ webhook_id, id }) => <RetryDelivery webhookId={webhook_id} deliveryId={id} />,
  },
];

/** Dead letters: deliveries of all webhooks, events of all sources, and the webhooks that fail most. */
export function DeadLettersPage() {
  const { hours: chosen = "24" } = useSearch({ from: "/shell/admin/dead-letters" });
  const hours = Number(chosen) || 24;
  return (
    <>
      <GivenUp hours={hours} />
      <Section
        title="Parked events"
        description="Parked events of all sources in the last 30 days. Only their owners see the content."
      >
        <ParkedEvents list={allParkedEventsList} isOwn={false} />
      </Section>
      <FailingWebhooks hours={hours} />
    </>
  );
}

function GivenUp({ hours }: { hours: number }) {
  const list = deadLettersList(hours);
  useRefresh(list.queryKey, REFRESH_MS);
  return (
    <Section
      title="Dead letters"
      description="Failed deliveries, newest first. Only their owners see the content."
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
        label="Dead letters"
        list={list}
        columns={LETTERS}
        rowKey={({ webhook_id, id }) => `${webhook_id} ${id}`}
        minWidth="58rem"
        empty={
          <EmptyState
            icon={<CheckCircleIcon size={32} className="text-kumo-success" />}
            title="No failed deliveries"
            sentence="Look at a longer time above. For a monitor:"
            command={adminCommand("GET", `/dead_letters?hours=${hours}`)}
          />
        }
      />
    </Section>
  );
}

function FailingWebhooks({ hours }: { hours: number }) {
  const list = failingWebhooksList(hours);
  useRefresh(list.queryKey, REFRESH_MS);
  return (
    <Section
      title="Failing webhooks"
      description="Most failed attempts first. Each links to its deliveries."
    >
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
            sentence="Look at a longer time above. For a monitor:"
            command={adminCommand("GET", `/failing_webhooks?hours=${hours}`)}
          />
        }
      />
    </Section>
  );
}
