import { LightningIcon } from "@phosphor-icons/react";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useState } from "react";

import { formatDuration } from "../../components/format.ts";
import { Status } from "../../components/status.tsx";
import { hasEnded, type RunDetails, type StepExecution } from "./queries.ts";

const REFRESH_MS = 500;

/** A span of a run, in percent of its whole duration. */
type Span = { from: number; width: number };

const PAUSES = {
  delay: "Delayed by $.flow.delay",
  suspend: "Suspended by $.flow.suspend",
  rerun: "Waits to run the step again",
  retry: "Waits to retry",
};

/** The steps of a run as bars over its time, with the waits between them. Each links to the step's details. */
export function Waterfall({
  workflowId,
  run,
  selected,
}: {
  workflowId: string;
  run: RunDetails;
  selected: number | undefined;
}) {
  const nowMs = useNow(!hasEnded(run));
  const from = run.started_at_ms ?? run.queued_at_ms;
  const to = Math.max(run.ended_at_ms ?? nowMs, from + 1);
  const spanOf = (start: number, end: number): Span => ({
    from: (100 * (start - from)) / (to - from),
    width: (100 * Math.max(0, end - start)) / (to - from),
  });
  const place = { workflowId, runId: run.id };
  return (
    <section aria-label="Steps" className="self-start rounded-lg bg-kumo-base ring ring-kumo-line">
      <ol>
        <Row place={place} step="trigger" isSelected={selected === undefined}>
          <span className="flex items-center gap-2">
            <LightningIcon aria-hidden /> trigger
          </span>
          <span className="text-sm text-kumo-subtle">{run.source_type}</span>
        </Row>
        {run.steps.map((execution, index) => (
          <StepRows
            // oxlint-disable-next-line react/no-array-index-key -- the executions of a run only grow in number.
            key={index}
            place={place}
            index={index}
            execution={execution}
            isSelected={index === selected}
            span={spanOf(execution.started_at_ms, execution.ended_at_ms)}
            wait={waitAfter(run, index, nowMs)}
            spanOf={spanOf}
          />
        ))}
      </ol>
      {!hasEnded(run) && <Underway run={run} />}
    </section>
  );
}

type Place = { workflowId: string; runId: string };
type Wait = { from: number; to: number; text: string };

function StepRows({
  place,
  index,
  execution,
  isSelected,
  span,
  wait,
  spanOf,
}: {
  place: Place;
  index: number;
  execution: StepExecution;
  isSelected: boolean;
  span: Span;
  wait: Wait | undefined;
  spanOf: (from: number, to: number) => Span;
}) {
  const { name, state, reused, started_at_ms: from, ended_at_ms: to } = execution;
  const colour = state === "failed" ? "bg-kumo-danger" : "bg-kumo-success";
  return (
    <>
      <Row
        place={place}
        step={String(index)}
        isSelected={isSelected}
        track={!reused && <Bar span={span} className={colour} />}
      >
        <span className="truncate font-medium">{name}</span>
        <span className="flex shrink-0 items-center gap-2 text-sm text-kumo-subtle">
          {reused ? "from the repeated run" : formatDuration(to - from)}
          <Status state={state} />
        </span>
      </Row>
      {wait && (
        <li className="border-b border-kumo-hairline px-4 py-2 text-sm text-kumo-subtle">
          {wait.text}, {formatDuration(wait.to - wait.from)}
          <Track>
            <Bar span={spanOf(wait.from, wait.to)} className="bg-kumo-warning opacity-60" />
          </Track>
        </li>
      )}
    </>
  );
}

function Row({
  place: { workflowId, runId },
  step,
  isSelected,
  track,
  children,
}: {
  place: Place;
  step: string;
  isSelected: boolean;
  track?: ReactNode;
  children: ReactNode;
}) {
  return (
    <li className="border-b border-kumo-hairline last:border-0">
      <Link
        to="/workflows/$id/runs/$run"
        params={{ id: workflowId, run: runId }}
        search={{ step }}
        resetScroll={false}
        aria-current={isSelected ? "true" : undefined}
        className="block px-4 py-2.5 hover:bg-kumo-tint aria-[current=true]:bg-kumo-tint aria-[current=true]:shadow-[inset_3px_0_0_var(--color-kumo-brand)]"
      >
        <span className="flex items-center justify-between gap-3">{children}</span>
        {track !== undefined && track !== false && <Track>{track}</Track>}
      </Link>
    </li>
  );
}

function Track({ children }: { children: ReactNode }) {
  return (
    <span aria-hidden className="relative mt-1.5 block h-1.5 rounded-full bg-kumo-recessed">
      {children}
    </span>
  );
}

function Bar({ span: { from, width }, className }: { span: Span; className: string }) {
  return (
    <span
      className={`absolute inset-y-0 min-w-1 rounded-full ${className}`}
      style={{ left: `min(${from}%, calc(100% - 4px))`, width: `${width}%` }}
    />
  );
}

function Underway({ run }: { run: RunDetails }) {
  const last = run.steps.at(-1);
  const text =
    run.state === "waiting"
      ? (PAUSES[last?.pause ?? "retry"] ?? "Waits")
      : run.state === "queued"
        ? "Waits for the end of an earlier run"
        : "Runs";
  return (
    <output className="flex items-center gap-2 px-4 py-3 text-sm text-kumo-subtle">
      <span aria-hidden className="size-2 animate-pulse rounded-full bg-kumo-info" />
      {text}
    </output>
  );
}

/** The wait after a step, if any: a pause of its own, or the delay before a retry. */
function waitAfter(run: RunDetails, index: number, nowMs: number): Wait | undefined {
  const execution = run.steps[index];
  const next = run.steps[index + 1];
  const pause = execution && pauseAfter(execution, next);
  if (!execution || pause === undefined) return undefined;
  const from = execution.ended_at_ms;
  const to = next?.started_at_ms ?? run.ended_at_ms ?? nowMs;
  return to > from ? { from, to, text: PAUSES[pause] } : undefined;
}

function pauseAfter(execution: StepExecution, next: StepExecution | undefined) {
  const isRetried = next?.name === execution.name && execution.state === "failed";
  return execution.pause ?? (isRetried ? ("retry" as const) : undefined);
}

function useNow(isRunning: boolean): number {
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => setNowMs(Date.now()), REFRESH_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
  return nowMs;
}
