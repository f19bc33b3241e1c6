import { SkeletonLine } from "@cloudflare/kumo";
import { useQuery } from "@tanstack/react-query";
import { Outlet, useParams } from "@tanstack/react-router";

import { CopyText } from "../../components/copy.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { Status } from "../../components/status.tsx";
import { TabLinks } from "../../components/tab-links.tsx";
import { WorkflowActions } from "./actions.tsx";
import { type Workflow, workflowQuery } from "./queries.ts";
import { describeTrigger } from "./trigger.ts";

/** One workflow: its name, its trigger, and the tabs of its runs, its events, its definition and its versions. */
export function WorkflowPage() {
  const { id } = useParams({ from: "/shell/workflows/$id" });
  const { data: workflow, error, refetch } = useQuery(workflowQuery(id));
  if (!workflow)
    return error ? (
      <>
        <PageHeader title="Workflow" />
        <FailureNotice error={error} onRetry={() => void refetch()} />
      </>
    ) : (
      <output aria-label="Loading" className="flex max-w-md flex-col gap-4">
        <SkeletonLine />
        <SkeletonLine />
      </output>
    );
  const base = `/workflows/${id}`;
  return (
    <>
      <PageHeader
        title={workflow.name}
        description={<Facts workflow={workflow} />}
        actions={<WorkflowActions workflow={workflow} />}
      />
      <TabLinks
        label="Of this workflow"
        tabs={[
          { label: "Runs", path: base },
          { label: "Events", path: `${base}/events` },
          { label: "Definition", path: `${base}/definition` },
          { label: "Versions", path: `${base}/versions` },
        ]}
      />
      <Outlet />
    </>
  );
}

function Facts({ workflow: { id, active, version, trigger } }: { workflow: Workflow }) {
  return (
    <span className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
      <Status state={active ? "active" : "paused"} />
      <CopyText value={id} />
      <span>Version {version}</span>
      <span>{describeTrigger(trigger)}</span>
      {trigger.endpoint_url !== undefined && <CopyText value={trigger.endpoint_url} what="URL" />}
    </span>
  );
}
