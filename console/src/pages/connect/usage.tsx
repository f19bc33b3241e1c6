import { ChartBarIcon } from "@phosphor-icons/react";
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useMemo } from "react";

import { usageQuery } from "../../api/connect.ts";
import { apiCommand } from "../../components/commands.ts";
import { LoadingRows } from "../../components/data-table.tsx";
import { DayChart } from "../../components/day-chart.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { formatNumber } from "../../components/format.ts";
import { LinkButton } from "../../components/link-button.tsx";
import { Card, Section } from "../../components/section.tsx";
import { spanOf, UsageRange } from "../../components/usage.tsx";
import { type Column, VirtualTable } from "../../components/virtual-table.tsx";

type Day = { day: string; count: number };

const COLUMNS: Column<Day>[] = [
  { id: "day", header: "Day (UTC)", cell: ({ day }) => day },
  { id: "credits", header: "Credits", align: "right", cell: ({ count }) => formatNumber(count) },
];

/** The credits that external users of all projects used, with the owner's own. */
export function ConnectUsagePage() {
  const { days: range } = useSearch({ from: "/shell/connect/usage" });
  const { from, to } = spanOf(range);
  const span = { from: Date.parse(from) / 1000, to: Date.parse(to) / 1000 };
  const { data, error, refetch } = useQuery(usageQuery(span));
  const days = useMemo(() => data?.map(dayOf), [data]);
  return (
    <>
      <div className="mb-6 flex">
        <UsageRange />
      </div>
      {error && <FailureNotice error={error} onRetry={() => void refetch()} />}
      {!days && !error && <LoadingRows label="Usage" />}
      {days && (days.some(({ count }) => count > 0) ? <Days days={days} /> : <NoUsage {...span} />)}
    </>
  );
}

function NoUsage({ from, to }: { from: number; to: number }) {
  return (
    <EmptyState
      icon={<ChartBarIcon size={32} className="text-kumo-subtle" />}
      title="No credits were used in these days"
      sentence="A credit is each started 30 seconds of an action, a trigger or a request of the proxy. Your server reads them by:"
      command={apiCommand("GET", `/connect/usage?start_ts=${from}&end_ts=${to}`)}
      action={<LinkButton to="/connect">Projects</LinkButton>}
    />
  );
}

function Days({ days }: { days: Day[] }) {
  const total = days.reduce((sum, { count }) => sum + count, 0);
  return (
    <>
      <Section
        title={`${formatNumber(total)} credits`}
        description="A credit is each started 30 seconds of an action, a trigger or a request of the proxy."
      >
        <Card>
          <DayChart label="Credits" days={days} />
        </Card>
      </Section>
      <Section title="By day">
        <VirtualTable
          label="Credits by day"
          columns={COLUMNS}
          rows={days.toReversed()}
          rowKey={({ day }) => day}
          minWidth="20rem"
        />
      </Section>
    </>
  );
}

function dayOf({
  usage_start_ts,
  credits_used,
}: {
  usage_start_ts: number;
  credits_used: number;
}): Day {
  const day = new Date(usage_start_ts * 1000).toISOString().slice(0, "2026-01-01".length);
  return { day, count: credits_used };
}
