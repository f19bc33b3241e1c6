import { Button, Select } from "@cloudflare/kumo";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";

import { CodeEditor, type CodeProblem } from "../../components/code-editor.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { useSearchParam } from "../../components/search-param.ts";
import {
  codeSteps,
  type Definition,
  readDefinition,
  refusedAt,
  textOf,
  withCode,
} from "./definition.ts";
import { workflowSchemaQuery } from "./queries.ts";

/** Not the name of a step. */
const WHOLE = "$whole";

/** A definition as JSON, checked during typing, and the code of its steps without the quotes that JSON needs. */
export function DefinitionEditor({
  saved,
  saveLabel,
  onSave,
}: {
  /** The saved text; undefined for a new workflow. */
  saved: string;
  saveLabel: string;
  onSave: (definition: Definition) => Promise<unknown>;
}) {
  const editor = useDefinition(saved, onSave);
  const { text, setText, typed, problems, failure, save, isSaving } = editor;
  const [part, setPart] = useSearchParam("part");
  const steps = codeSteps(typed.definition);
  const step = steps.find(({ name }) => name === part);
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <Select<string>
          aria-label="Part of the definition"
          value={step ? step.name : WHOLE}
          onValueChange={(next) => setPart(next === WHOLE ? "" : (next ?? ""))}
          items={[
            { value: WHOLE, label: "Whole definition" },
            ...steps.map(({ name }) => ({ value: name, label: `Code of ${name}` })),
          ]}
        />
        <div className="flex flex-wrap gap-2">
          {text !== saved && <Button onClick={() => setText(saved)}>Discard changes</Button>}
          <Button
            variant="primary"
            loading={isSaving}
            disabled={problems.length > 0 || typed.definition === undefined}
            onClick={() => void save()}
          >
            {saveLabel}
          </Button>
        </div>
      </div>
      {step && typed.definition ? (
        <CodeEditor
          key={step.name}
          label={`Code of ${step.name}`}
          language="js"
          value={step.code}
          onChange={(code) => setText(textOf(withCode(typed.definition ?? {}, step.name, code)))}
        />
      ) : (
        <CodeEditor
          label="Definition"
          language="json"
          value={text}
          onChange={setText}
          problems={[...problems, ...editor.refused]}
        />
      )}
      <Problems problems={problems} />
      {failure !== undefined && <FailureNotice error={failure} />}
    </div>
  );
}

/** The text of the editor, its errors, and its save function. */
function useDefinition(saved: string, onSave: (definition: Definition) => Promise<unknown>) {
  const [text, setTyped] = useState(saved);
  const [isSaving, setSaving] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const { data: schema } = useQuery(workflowSchemaQuery);
  const typed = useMemo(() => readDefinition(text, schema), [text, schema]);
  const refused = useMemo(() => refusedAt(failure, typed), [failure, typed]);
  const setText = (next: string) => {
    setTyped(next);
    setFailure(undefined);
  };
  const save = async () => {
    if (!typed.definition) return;
    setSaving(true);
    setFailure(undefined);
    try {
      await onSave(typed.definition);
    } catch (error) {
      setFailure(error);
    } finally {
      setSaving(false);
    }
  };
  return { text, setText, typed, problems: typed.problems, refused, failure, save, isSaving };
}

const MAX_PROBLEMS = 20;

function Problems({ problems }: { problems: CodeProblem[] }) {
  return (
    <output className="block">
      {problems.length > 0 && (
        <ul className="flex flex-col gap-1 text-sm text-kumo-danger">
          {problems.slice(0, MAX_PROBLEMS).map(({ line, message }) => (
            <li key={`${line} ${message}`}>
              Line {line}: {message}
            </li>
          ))}
        </ul>
      )}
    </output>
  );
}
