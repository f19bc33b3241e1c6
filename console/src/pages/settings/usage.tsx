import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";

import { type DailyUsage, usageQuery } from "../../api/account.ts";
import { LoadingRows } from "../../components/data-table.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { spanOf, UsageRange, UsageView } from "../../components/usage.tsx";
import { useOrg } from "../../layout/org.ts";
import { BillingPeriod, dailyQuotasOf, QuotasOfToday, WorkspaceQuotas } from "./quotas.tsx";

/** Today's quotas, and usage by day, of the user or the workspace. */
export function UsagePage() {
  const { days } = useSearch({ from: "/shell/settings/usage" });
  const org = useOrg();
  const { data, error, refetch } = useQuery(usageQuery(spanOf(days), org));
  return (
    <>
      {error && <FailureNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <LoadingRows label="Usage" />}
      {data && <Usage usage={data} />}
      {org === undefined && <BillingPeriod />}
      {org === undefined && <WorkspaceQuotas />}
    </>
  );
}

function Usage({
  usage: { data: days, quotas, stored_bytes: storedBytes },
}: {
  usage: DailyUsage;
}) {
  const today = days.at(-1);
  return (
    <>
      {today && <QuotasOfToday today={today} quotas={quotas} storedBytes={storedBytes} />}
      <div className="mb-6 flex">
        <UsageRange />
      </div>
      <UsageView days={days} quotas={dailyQuotasOf(quotas)} />
    </>
  );
}
