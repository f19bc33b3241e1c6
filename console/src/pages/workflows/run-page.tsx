import { useQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { CopyText } from "../../components/copy.tsx";
import { LoadingRows } from "../../components/data-table.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { Status } from "../../components/status.tsx";
import { Time } from "../../components/time.tsx";
import { hasEnded, runQuery, type RunDetails } from "./queries.ts";
import { RunActions } from "./run-actions.tsx";
import { durationOf } from "./runs-page.tsx";
import { StepDetails, TriggerDetails } from "./step-details.tsx";
import { Waterfall } from "./waterfall.tsx";

/** One run: its steps over time, and one of them with its input and output. */
export function WorkflowRunPage() {
  const { id, run: runId } = useParams({ from: "/shell/workflows/$id/runs/$run" });
  const { step } = useSearch({ from: "/shell/workflows/$id/runs/$run" });
  const { data: run, error, refetch } = useQuery(runQuery(id, runId));
  if (!run)
    return error ? (
      <FailureNotice error={error} onRetry={() => void refetch()} />
    ) : (
      <LoadingRows label="Run" />
    );
  const selected = selectedStep(run, step);
  const execution = selected === undefined ? undefined : run.steps[selected];
  return (
    <div className="flex flex-col gap-6">
      {error && <FailureNotice error={error} onRetry={() => void refetch()} />}
      <RunHeader workflowId={id} run={run} />
      <div className="grid gap-6 xl:grid-cols-2">
        <Waterfall workflowId={id} run={run} selected={selected} />
        {execution ? <StepDetails execution={execution} /> : <TriggerDetails run={run} />}
      </div>
    </div>
  );
}

/** The step with the index in the URL, else the failed one, else the trigger. */
function selectedStep(run: RunDetails, step: string | undefined): number | undefined {
  if (step === "trigger") return undefined;
  const index = step === undefined ? -1 : Number(step);
  if (run.steps[index]) return index;
  const failed = run.state === "failed" ? run.steps.findLastIndex(({ error }) => error) : -1;
  return failed === -1 ? undefined : failed;
}

function RunHeader({ workflowId, run }: { workflowId: string; run: RunDetails }) {
  return (
    <section className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h2 className="flex flex-wrap items-center gap-3 text-lg font-semibold">
          Run <Status state={run.state} />
        </h2>
        <div className="flex flex-wrap gap-2">
          <RunActions workflowId={workflowId} run={run} />
        </div>
      </div>
      <dl className="flex flex-wrap gap-x-8 gap-y-2 text-sm">
        <Fact term="Id">
          <CopyText value={run.id} />
        </Fact>
        <Fact term="Begun by">
          {run.source_type}
          {run.emitter_id !== null && (
            <>
              {" "}
              <CopyText value={run.emitter_id} />
            </>
          )}
        </Fact>
        <Fact term="Queued">
          <Time at={run.queued_at_ms} />
        </Fact>
        <Fact term="Duration">{durationOf(run)}</Fact>
        {run.version !== null && <Fact term="Version">{run.version}</Fact>}
        {run.rerun_of !== null && (
          <Fact term="Repeats">
            <Link
              to="/workflows/$id/runs/$run"
              params={{ id: workflowId, run: run.rerun_of }}
              className="font-mono text-kumo-link hover:underline"
            >
              {run.rerun_of}
            </Link>
          </Fact>
        )}
        {run.exit_reason !== null && <Fact term="Ended early">{run.exit_reason}</Fact>}
      </dl>
      {run.error && (
        <output className="block rounded-lg bg-kumo-danger-tint p-3 text-sm text-kumo-danger">
          <strong>{run.error.code}</strong>: {run.error.message}
        </output>
      )}
      {!hasEnded(run) && <p className="sr-only">The run continues; this page updates itself.</p>}
    </section>
  );
}

function Fact({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-kumo-subtle">{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}
