import { useMemo } from "react";

import type { UsageDay } from "../api/account.ts";
import { ChoiceLinks } from "./choice-links.tsx";
import { DayChart } from "./day-chart.tsx";
import { formatDuration, formatNumber } from "./format.ts";
import { Card, Section } from "./section.tsx";
import { type Column, VirtualTable } from "./virtual-table.tsx";

const DAY_MS = 86_400_000;

const DEFAULT_DAYS = 30;

/** The first and the last day of the URL's `days`, both included. */
export function spanOf(days: string | undefined): { from: string; to: string } {
  const count = Math.min(Math.max(Math.trunc(Number(days)) || DEFAULT_DAYS, 1), 400);
  return { from: dayOf(Date.now() - (count - 1) * DAY_MS), to: dayOf(Date.now()) };
}

function dayOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, "2026-01-01".length);
}

/** The choices of the shown span. */
export function UsageRange() {
  return (
    <ChoiceLinks
      label="Days shown"
      name="days"
      choices={[
        ["7", "7 days"],
        ["", "30 days"],
        ["90", "90 days"],
      ]}
    />
  );
}

const COLUMNS: Column<UsageDay>[] = [
  { id: "day", header: "Day (UTC)", cell: ({ day }) => day },
  {
    id: "credits",
    header: "Credits",
    align: "right",
    cell: ({ credits }) => formatNumber(credits),
  },
  {
    id: "invocations",
    header: "Invocations",
    align: "right",
    cell: ({ invocations }) => formatNumber(invocations),
  },
  {
    id: "compute",
    header: "Compute",
    align: "right",
    cell: ({ compute_ms }) => formatDuration(compute_ms),
  },
];

/** The usage: a chart of credits, one of invocations, and the days as a table, newest first. */
export function UsageView({ days }: { days: UsageDay[] }) {
  const credits = useMemo(() => days.map(({ day, credits: count }) => ({ day, count })), [days]);
  const invocations = useMemo(
    () => days.map(({ day, invocations: count }) => ({ day, count })),
    [days],
  );
  const total = (name: "credits" | "invocations" | "compute_ms") =>
    days.reduce((sum, day) => sum + day[name], 0);
  return (
    <>
      <div className="grid gap-x-6 xl:grid-cols-2">
        <Section title={`${formatNumber(total("credits"))} credits`}>
          <Card>
            <DayChart label="Credits" days={credits} />
          </Card>
        </Section>
        <Section title={`${formatNumber(total("invocations"))} invocations`}>
          <Card>
            <DayChart label="Invocations" days={invocations} />
          </Card>
        </Section>
      </div>
      <Section
        title="By day"
        description={`Compute in all: ${formatDuration(total("compute_ms"))}`}
      >
        <VirtualTable
          label="Usage by day"
          columns={COLUMNS}
          rows={days.toReversed()}
          rowKey={({ day }) => day}
          minWidth="30rem"
        />
      </Section>
    </>
  );
}
