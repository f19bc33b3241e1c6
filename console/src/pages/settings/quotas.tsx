import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { meQuery, type Quotas, type UsageDay, workspacesQuery } from "../../api/account.ts";
import { formatBytes, formatDuration, formatNumber } from "../../components/format.ts";
import { LINK } from "../../components/links.tsx";
import { Quota } from "../../components/quota.tsx";
import { Card, Facts, Section } from "../../components/section.tsx";
import { Time } from "../../components/time.tsx";
import type { DailyQuotas } from "../../components/usage.tsx";

/** The quotas by the measure that each of them limits. */
export function dailyQuotasOf(quotas: Quotas): DailyQuotas {
  return {
    credits: quotas.daily_credits_quota,
    invocations: quotas.daily_invocations_quota,
    compute_ms: quotas.daily_compute_time_quota,
  };
}

/** The used part of each quota, and the rest. */
export function QuotasOfToday({
  today: { credits, invocations, compute_ms },
  quotas,
  storedBytes,
}: {
  today: UsageDay;
  quotas: Quotas;
  storedBytes: number;
}) {
  return (
    <Section
      title="Quotas of today"
      description="They reset at midnight UTC, except that of storage."
    >
      <Card>
        <div className="grid gap-6 md:grid-cols-2 lg:grid-cols-4">
          <Quota label="Credits" used={credits} quota={quotas.daily_credits_quota} />
          <Quota label="Invocations" used={invocations} quota={quotas.daily_invocations_quota} />
          <Quota
            label="Compute"
            used={compute_ms}
            quota={quotas.daily_compute_time_quota}
            format={formatDuration}
          />
          <Quota
            label="Storage"
            used={storedBytes}
            quota={quotas.storage_quota}
            format={formatBytes}
          />
        </div>
      </Card>
    </Section>
  );
}

/** The billing period of a user on a paid plan. */
export function BillingPeriod() {
  const { data: me } = useQuery(meQuery);
  if (!me || !("billing_period_credits" in me)) return null;
  return (
    <Section title="Billing period">
      <Facts
        facts={[
          ["Credits", formatNumber(me.billing_period_credits)],
          ["Began", <Time key="start" at={me.billing_period_start_ts * 1000} />],
          ["Ends", <Time key="end" at={me.billing_period_end_ts * 1000} />],
        ]}
      />
    </Section>
  );
}

/** The workspaces of a user, whose quotas are their own. */
export function WorkspaceQuotas() {
  const { data: workspaces = [] } = useQuery(workspacesQuery);
  if (workspaces.length === 0) return null;
  return (
    <Section title="Workspaces" description="Credits of today, for all members together.">
      <ul className="flex flex-col gap-2">
        {workspaces.map(({ id, name, daily_credits_used: used, daily_credits_quota: quota }) => (
          <li key={id}>
            <Card>
              <Quota label={name} used={used} quota={quota} />
              <Link to="/settings/usage" search={{ org: id }} className={LINK}>
                Usage of {name}
              </Link>
            </Card>
          </li>
        ))}
      </ul>
    </Section>
  );
}
