import { Input, LayerDialog } from "@cloudflare/kumo";
import { type ReactElement, type ReactNode, useState } from "react";

import { FailureNotice } from "./failure-notice.tsx";
import { useOpening } from "./opening.ts";

/**
 * Requests confirmation of an action that cannot be undone, and names its consequences. It closes once `onConfirm` has resolved, and
 * shows why it did not. With `typed`, that text has to be typed first. Its URL ends in `#` and its name.
 */
export function ConfirmDialog({
  name,
  trigger,
  title,
  description,
  children,
  confirmLabel,
  typed,
  isDestructive = true,
  onConfirm,
}: {
  name: string;
  /** The button that opens it. */
  trigger: ReactElement;
  title: string;
  description?: string;
  /** The resources that are deleted with it. */
  children?: ReactNode;
  confirmLabel: string;
  typed?: string;
  isDestructive?: boolean;
  onConfirm: () => Promise<unknown>;
}) {
  const { isOpen, setOpen, text, setText, isBusy, failure, confirm } = useConfirm(name, onConfirm);
  const isTyped = typed === undefined || text === typed;
  return (
    <LayerDialog.Alert open={isOpen} onOpenChange={setOpen} dismissDisabled={isBusy}>
      <LayerDialog.Trigger render={trigger} />
      <LayerDialog.Content size="sm">
        <LayerDialog.Title>{title}</LayerDialog.Title>
        {description !== undefined && (
          <LayerDialog.Description>{description}</LayerDialog.Description>
        )}
        <LayerDialog.Body>
          <div className="flex flex-col gap-4">
            {children}
            {typed !== undefined && (
              <Input
                label={`Type ${typed} to confirm`}
                autoComplete="off"
                value={text}
                onChange={(event) => setText(event.target.value)}
              />
            )}
            {failure !== undefined && <FailureNotice error={failure} />}
          </div>
        </LayerDialog.Body>
        <LayerDialog.Actions dismissLabel="Cancel">
          <LayerDialog.Actions.Primary
            variant={isDestructive ? "destructive" : "primary"}
            loading={isBusy}
            disabled={!isTyped || isBusy}
            onClick={() => void confirm()}
          >
            {confirmLabel}
          </LayerDialog.Actions.Primary>
        </LayerDialog.Actions>
      </LayerDialog.Content>
    </LayerDialog.Alert>
  );
}

function useConfirm(name: string, onConfirm: () => Promise<unknown>) {
  const { isOpen, key, setOpen } = useOpening(name);
  const [shownKey, setShownKey] = useState(key);
  const [text, setText] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  if (shownKey !== key) {
    setShownKey(key);
    setText("");
    setFailure(undefined);
  }
  const confirm = async () => {
    setBusy(true);
    setFailure(undefined);
    try {
      await onConfirm();
      setOpen(false);
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return { isOpen, setOpen, text, setText, isBusy, failure, confirm };
}
