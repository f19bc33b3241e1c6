import { Button, LayerDialog } from "@cloudflare/kumo";
import { PaperPlaneTiltIcon } from "@phosphor-icons/react";
import { useState } from "react";

import { type Run, runSource, type Source, sourceKeys } from "../../api/sources.ts";
import { useAction } from "../../components/action.ts";
import { CodeEditor, type CodeProblem } from "../../components/code-editor.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { formatCount } from "../../components/format.ts";
import { JsonTree } from "../../components/json-tree.tsx";
import { useOpening } from "../../components/opening.ts";
import { Status } from "../../components/status.tsx";
import { parseJson } from "./parse-json.ts";

/** Runs a source once, on a JSON event or by its own trigger, and shows the result. */
export function TestEvent({ source }: { source: Source }) {
  const { isOpen, setOpen } = useOpening("test-event");
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<CodeProblem>();
  const run = useAction({
    run: (event: { value: unknown } | undefined) => runSource(source.id, event),
    done: ({ state }) => (state === "failed" ? "The run failed" : "The test event was sent"),
    changes: [sourceKeys.part(source.id, "activity"), sourceKeys.part(source.id, "state")],
    isFailureShown: true,
  });
  const send = () => {
    const parsed = parseJson(text);
    setProblem(parsed.problem);
    if (!parsed.problem) run.mutate(parsed.event);
  };
  return (
    <LayerDialog.Root open={isOpen} onOpenChange={setOpen} dismissDisabled={run.isPending}>
      <LayerDialog.Trigger
        render={
          <Button variant="primary" icon={<PaperPlaneTiltIcon />} disabled={!source.active}>
            Send a test event
          </Button>
        }
      />
      <LayerDialog.Content size="lg">
        <LayerDialog.Title>Send a test event</LayerDialog.Title>
        <LayerDialog.Description>
          The source runs once with this JSON, and its events go to its listeners. If it is empty,
          the source gets the event of its own trigger: a tick of its timer, or an empty request.
        </LayerDialog.Description>
        <LayerDialog.Body>
          <div className="flex flex-col gap-4">
            <CodeEditor
              label="Event as JSON"
              language="json"
              value={text}
              onChange={setText}
              maxHeight="16rem"
              {...(problem && { problems: [problem] })}
            />
            {problem && (
              <p role="alert" className="text-sm text-kumo-danger">
                Line {problem.line}: {problem.message}
              </p>
            )}
            {run.error && <FailureNotice error={run.error} />}
            {run.data && <Outcome run={run.data} />}
          </div>
        </LayerDialog.Body>
        <LayerDialog.Actions dismissLabel="Close">
          <LayerDialog.Actions.Primary loading={run.isPending} onClick={send}>
            Send
          </LayerDialog.Actions.Primary>
        </LayerDialog.Actions>
      </LayerDialog.Content>
    </LayerDialog.Root>
  );
}

function Outcome({ run }: { run: Run }) {
  const { state, events = [], logs = [], errors = [], response } = run;
  return (
    <section aria-label="Result" className="flex flex-col gap-3" aria-live="polite">
      <p className="flex flex-wrap items-center gap-2">
        <Status state={state} />
        {formatCount(events.length, "event")}, {formatCount(logs.length, "line")} of log
        {response && `, responded with ${response.status}`}
      </p>
      {errors.map((error) => (
        <p key={error.ts} className="font-mono text-sm break-words text-kumo-danger">
          {error.code}: {error.message}
        </p>
      ))}
      {logs.length > 0 && (
        <ol className="font-mono text-sm">
          {logs.slice(0, MAX_LINES).map((line) => (
            <li key={`${line.ts} ${line.message}`} className="break-words">
              {line.message}
            </li>
          ))}
        </ol>
      )}
      {events.slice(0, MAX_EVENTS).map((event) => (
        <JsonTree key={event.id} value={event.event} />
      ))}
    </section>
  );
}

const MAX_LINES = 50;

const MAX_EVENTS = 5;
