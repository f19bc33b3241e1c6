import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";

import { usageQuery } from "../../api/account.ts";
import { LoadingRows } from "../../components/data-table.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { spanOf, UsageRange, UsageView } from "../../components/usage.tsx";
import { useOrg } from "../../layout/org.ts";

/** Usage of the user or the workspace by day. */
export function UsagePage() {
  const { days } = useSearch({ from: "/shell/settings/usage" });
  const org = useOrg();
  const { data, error, refetch } = useQuery(usageQuery(spanOf(days), org));
  return (
    <>
      <div className="mb-6 flex">
        <UsageRange />
      </div>
      {error && <FailureNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <LoadingRows label="Usage" />}
      {data && <UsageView days={data} />}
    </>
  );
}
