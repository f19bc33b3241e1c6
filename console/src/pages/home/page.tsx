import { Button, Loader } from "@cloudflare/kumo";
import { ArrowClockwiseIcon, RocketLaunchIcon } from "@phosphor-icons/react";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";

import { type Overview, overviewQuery } from "../../api/overview.ts";
import { Choice } from "../../components/choice.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { LinkButton } from "../../components/link-button.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { useSearchParam } from "../../components/search-param.ts";
import { useOrg } from "../../layout/org.ts";
import { AttentionList } from "./attention.tsx";
import { Charts } from "./charts.tsx";
import { Holdings } from "./holdings.tsx";
import { Totals } from "./totals.tsx";

const DAY_HOURS = 24;
const WEEK_HOURS = 168;

const RANGES: { value: "24h" | "7d"; label: string }[] = [
  { value: "24h", label: "24 hours" },
  { value: "7d", label: "7 days" },
];

/** Recent activity, and issues that need attention. */
export function HomePage() {
  const { range = "24h" } = useSearch({ from: "/shell/" });
  const [, setRange] = useSearchParam("range");
  const org = useOrg();
  const overview = useQuery(overviewQuery(range === "7d" ? WEEK_HOURS : DAY_HOURS, org));
  return (
    <>
      <PageHeader
        title="Home"
        description="Recent activity, and issues that need attention."
        actions={
          <>
            <Choice
              label="Range"
              options={RANGES}
              value={range}
              onChange={(value) => setRange(value === "7d" ? value : "")}
            />
            <Button
              icon={<ArrowClockwiseIcon />}
              loading={overview.isFetching}
              onClick={() => void overview.refetch()}
            >
              Refresh
            </Button>
          </>
        }
      />
      <Body overview={overview} range={range} />
    </>
  );
}

function Body({ overview, range }: { overview: UseQueryResult<Overview>; range: "24h" | "7d" }) {
  const { data, error, refetch } = overview;
  const notice = error && <FailureNotice error={error} onRetry={() => void refetch()} />;
  if (!data)
    return (
      notice ?? (
        <output aria-label="Loading" className="grid h-64 place-items-center">
          <Loader />
        </output>
      )
    );
  return (
    <div className="flex flex-col gap-6">
      {notice}
      {isNew(data) && <FirstSteps />}
      <Totals totals={data.totals} range={range} />
      <Charts overview={data} range={range} />
      <AttentionList attention={data.attention} />
      <Holdings counts={data.counts} />
    </div>
  );
}

function isNew({ counts }: Overview): boolean {
  return Object.values(counts).every((count) => count === 0);
}

function FirstSteps() {
  return (
    <EmptyState
      icon={<RocketLaunchIcon size={40} className="text-kumo-subtle" />}
      title="Deploy your first source"
      sentence="A source runs your code on a request, a timer or an event, and emits events. Choose one from the registry, write one here, or deploy a file from a terminal."
      command="npx wellspring deploy examples/orders.js"
      action={
        <LinkButton to="/deploy" variant="primary">
          Deploy a source
        </LinkButton>
      }
    />
  );
}
