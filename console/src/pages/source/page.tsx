import { SkeletonLine } from "@cloudflare/kumo";
import { useQuery } from "@tanstack/react-query";
import { Outlet, useParams } from "@tanstack/react-router";
import { WellspringError } from "@wellspring/client";

import { type Source, sourceQuery } from "../../api/sources.ts";
import { CopyText } from "../../components/copy.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { LinkButton } from "../../components/link-button.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { Status } from "../../components/status.tsx";
import { TabLinks } from "../../components/tab-links.tsx";
import { SourceActions } from "./actions.tsx";
import { Activity } from "./activity.tsx";
import { endpointsOf, triggersOf } from "./triggers.ts";

const TABS = [
  { label: "Events", path: "" },
  { label: "Logs", path: "/logs" },
  { label: "Errors", path: "/errors" },
  { label: "State", path: "/state" },
  { label: "Configuration", path: "/configuration" },
  { label: "Code", path: "/code" },
  { label: "Listeners", path: "/listeners" },
];

/** One source: its events, logs, errors, state, configuration, code and listeners. */
export function SourcePage() {
  const { sourceId } = useParams({ from: "/shell/sources/$sourceId" });
  const { data: source, error, refetch } = useQuery(sourceQuery(sourceId));
  if (!source) {
    if (error) return <Failed error={error} onRetry={() => void refetch()} />;
    return (
      <output aria-label="Loading" className="flex max-w-md flex-col gap-4">
        <SkeletonLine />
        <SkeletonLine />
      </output>
    );
  }
  return (
    <>
      <PageHeader
        title={source.name}
        description={<Facts source={source} />}
        actions={<SourceActions source={source} />}
      />
      <TabLinks
        label="Of this source"
        tabs={TABS.map(({ label, path }) => ({ label, path: `/sources/${sourceId}${path}` }))}
      />
      <Outlet />
    </>
  );
}

function Failed({ error, onRetry }: { error: Error; onRetry: () => void }) {
  if (error instanceof WellspringError && error.status === 404)
    return (
      <>
        <PageHeader title="Source" />
        <EmptyState
          title="This source does not exist"
          sentence="It was deleted, or belongs to another owner."
          action={<LinkButton to="/sources">All sources</LinkButton>}
        />
      </>
    );
  return (
    <>
      <PageHeader title="Source" />
      <FailureNotice error={error} onRetry={onRetry} />
    </>
  );
}

function Facts({ source }: { source: Source }) {
  const { id, active, configured_props: props } = source;
  const triggers = triggersOf(props);
  return (
    <span className="mt-2 flex flex-col gap-2">
      <span className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <Status state={active ? "active" : "paused"} />
        <CopyText value={id} />
        {triggers !== "" && <span>Runs on {triggers}</span>}
        <Activity sourceId={id} />
      </span>
      {endpointsOf(props).map((url) => (
        <span key={url} className="flex min-w-0">
          <CopyText value={url} what="URL" />
        </span>
      ))}
    </span>
  );
}
