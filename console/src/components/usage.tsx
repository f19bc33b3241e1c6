import { useMemo } from "react";

import type { UsageDay } from "../api/account.ts";
import { ChoiceLinks } from "./choice-links.tsx";
import { DayChart } from "./day-chart.tsx";
import { formatDuration, formatNumber } from "./format.ts";
import { isLimit } from "./quota.tsx";
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

const NO_QUOTAS: DailyQuotas = {};

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
    id: "compute_ms",
    header: "Compute",
    align: "right",
    cell: ({ compute_ms }) => formatDuration(compute_ms),
  },
];

/** Daily quotas of an owner; absent: none. */
export type DailyQuotas = Partial<Record<Measure, number>>;

type Measure = "credits" | "invocations" | "compute_ms";

const FORMATS: [Measure, (value: number) => string][] = [
  ["credits", (value) => formatNumber(value)],
  ["invocations", (value) => formatNumber(value)],
  ["compute_ms", (value) => (value === 0 ? "0" : formatDuration(value))],
];

/** The columns of the days, each measure with a quota followed by the part of it that was left. */
function columnsOf(quotas: DailyQuotas): Column<UsageDay>[] {
  const rest = FORMATS.flatMap(([measure, format]): Column<UsageDay>[] => {
    const quota = quotas[measure] ?? 0;
    if (!isLimit(quota)) return [];
    const leftOf = (day: UsageDay) => format(Math.max(quota - day[measure], 0));
    return [
      { id: `${measure}_left`, header: `Left of ${format(quota)}`, align: "right", cell: leftOf },
    ];
  });
  return COLUMNS.flatMap((column) => [
    column,
    ...rest.filter(({ id }) => id === `${column.id}_left`),
  ]);
}

/**
 * The usage: a chart of credits, one of invocations, and the days as a table, newest first; with quotas, also the parts
 * that were left of the current ones.
 */
export function UsageView({
  days,
  quotas = NO_QUOTAS,
}: {
  days: UsageDay[];
  quotas?: DailyQuotas;
}) {
  const columns = columnsOf(quotas);
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
          columns={columns}
          rows={days.toReversed()}
          rowKey={({ day }) => day}
          minWidth={columns.length > COLUMNS.length ? "44rem" : "30rem"}
        />
      </Section>
    </>
  );
}
