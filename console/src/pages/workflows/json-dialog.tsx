import { LayerDialog } from "@cloudflare/kumo";
import { type ReactElement, useState } from "react";

import { CodeEditor } from "../../components/code-editor.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { useOpening } from "../../components/opening.ts";
import { parseJson } from "../../json/parse.ts";

/** A dialog for a JSON value; an empty text is none. It closes once `onConfirm` has resolved, and shows its error. */
export function JsonDialog({
  name,
  trigger,
  title,
  description,
  label,
  initial,
  confirmLabel,
  onConfirm,
}: {
  /** The end of its URL, after `#`. */
  name: string;
  /** The button that opens it. */
  trigger: ReactElement;
  title: string;
  description: string;
  label: string;
  initial: string;
  confirmLabel: string;
  onConfirm: (value: unknown) => Promise<unknown>;
}) {
  const { isOpen, setOpen } = useOpening(name);
  const [text, setText] = useState(initial);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const { value, problem } = read(text);
  const confirm = async () => {
    setBusy(true);
    setFailure(undefined);
    try {
      await onConfirm(value);
      setOpen(false);
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <LayerDialog.Root open={isOpen} onOpenChange={setOpen} dismissDisabled={isBusy}>
      <LayerDialog.Trigger render={trigger} />
      <LayerDialog.Content>
        <LayerDialog.Title>{title}</LayerDialog.Title>
        <LayerDialog.Description>{description}</LayerDialog.Description>
        <LayerDialog.Body>
          <div className="flex flex-col gap-4">
            <CodeEditor
              label={label}
              language="json"
              value={text}
              onChange={setText}
              maxHeight="40dvh"
              problems={problem ? [problem] : []}
            />
            {problem && (
              <output className="block text-sm text-kumo-danger">
                Line {problem.line}: {problem.message}
              </output>
            )}
            {failure !== undefined && <FailureNotice error={failure} />}
          </div>
        </LayerDialog.Body>
        <LayerDialog.Actions dismissLabel="Cancel">
          <LayerDialog.Actions.Primary
            variant="primary"
            loading={isBusy}
            disabled={isBusy || problem !== undefined}
            onClick={() => void confirm()}
          >
            {confirmLabel}
          </LayerDialog.Actions.Primary>
        </LayerDialog.Actions>
      </LayerDialog.Content>
    </LayerDialog.Root>
  );
}

function read(text: string) {
  if (text.trim() === "") return {};
  const parsed = parseJson(text);
  return "problem" in parsed ? { problem: parsed.problem } : { value: parsed.value };
}
