import type { ReactNode } from "react";

import { CopyButton } from "../../components/copy.tsx";
import { formatDuration } from "../../components/format.ts";
import { JsonTree } from "../../components/json-tree.tsx";
import { Status } from "../../components/status.tsx";
import type { RunDetails, StepExecution } from "./queries.ts";

const MAX_LOG_LINES = 100;

const LEVELS: Record<string, string> = {
  error: "text-kumo-danger",
  warn: "text-kumo-warning",
  debug: "text-kumo-subtle",
};

/** The trigger event of a run. */
export function TriggerDetails({ run: { event } }: { run: RunDetails }) {
  return (
    <Panel title="trigger">
      <Part
        title="Event"
        action={<CopyButton label="Copy" text={() => JSON.stringify(event, null, 2)} />}
      >
        <JsonTree root="steps.trigger.event" value={event ?? {}} />
      </Part>
    </Panel>
  );
}

/** One execution of a step: its error, its exports, its input and its logs. */
export function StepDetails({ execution }: { execution: StepExecution }) {
  const { name, state, error, exports, input, logs, input_truncated: isCut } = execution;
  const duration = formatDuration(execution.ended_at_ms - execution.started_at_ms);
  return (
    <Panel title={name} note={duration} state={state}>
      {error && (
        <Part title="Error" action={<CopyButton label="Copy" text={() => errorText(error)} />}>
          <p className="font-medium text-kumo-danger [overflow-wrap:anywhere]">
            {error.code}: {error.message}
          </p>
          {error.stack !== "" && (
            <pre
              // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard scrolls it.
              tabIndex={0}
              aria-label="Stack"
              className="mt-2 max-h-72 overflow-auto rounded-md bg-kumo-recessed p-3 text-xs leading-5"
            >
              {error.stack}
            </pre>
          )}
        </Part>
      )}
      <Part title="Exports">
        <JsonOrNothing value={exports} root={`steps.${name}`} nothing="No exports." />
      </Part>
      <Part title="Input">
        <JsonOrNothing value={input} root="this" nothing="No props." />
        {isCut && <p className="mt-1 text-sm text-kumo-subtle">Long values are truncated.</p>}
      </Part>
      <Part title={`Logs (${logs.length})`}>
        <Logs logs={logs} />
      </Part>
    </Panel>
  );
}

function Panel({
  title,
  note,
  state,
  children,
}: {
  title: string;
  note?: string;
  state?: string;
  children: ReactNode;
}) {
  return (
    <section
      aria-label={`Step ${title}`}
      className="min-w-0 self-start rounded-lg bg-kumo-base ring ring-kumo-line"
    >
      <header className="flex flex-wrap items-center gap-3 border-b border-kumo-line px-4 py-3">
        <h3 className="font-semibold">{title}</h3>
        {state !== undefined && <Status state={state} />}
        {note !== undefined && <span className="text-sm text-kumo-subtle">{note}</span>}
      </header>
      {children}
    </section>
  );
}

function Part({
  title,
  action,
  children,
}: {
  title: string;
  action?: ReactNode;
  children: ReactNode;
}) {
  return (
    <div className="border-b border-kumo-hairline px-4 py-3 last:border-0">
      <div className="mb-2 flex items-center justify-between gap-2">
        <h4 className="text-sm font-medium text-kumo-subtle">{title}</h4>
        {action}
      </div>
      {children}
    </div>
  );
}

function JsonOrNothing({
  value,
  root,
  nothing,
}: {
  value: Record<string, unknown>;
  root: string;
  nothing: string;
}) {
  if (Object.keys(value).length === 0) return <p className="text-sm text-kumo-subtle">{nothing}</p>;
  return <JsonTree value={value} root={root} />;
}

function Logs({ logs }: { logs: StepExecution["logs"] }) {
  if (logs.length === 0) return <p className="text-sm text-kumo-subtle">No log lines.</p>;
  const begin = logs[0]?.ts ?? 0;
  return (
    <ol className="max-h-96 overflow-auto font-mono text-xs leading-5">
      {logs.slice(-MAX_LOG_LINES).map((line, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- lines have no identity but their index.
        <li key={index} className="flex gap-3">
          <span className="w-16 shrink-0 text-right text-kumo-subtle">
            +{formatDuration(line.ts - begin)}
          </span>
          <span className="w-10 shrink-0 text-kumo-subtle">{line.level}</span>
          <span
            className={`whitespace-pre-wrap [overflow-wrap:anywhere] ${LEVELS[line.level] ?? ""}`}
          >
            {line.message}
          </span>
        </li>
      ))}
    </ol>
  );
}

function errorText({ code, message, stack }: NonNullable<StepExecution["error"]>): string {
  return [`${code}: ${message}`, stack].filter(Boolean).join("\n");
}
