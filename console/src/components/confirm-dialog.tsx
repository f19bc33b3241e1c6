import { Input, LayerDialog } from "@cloudflare/kumo";
import { type ReactElement, type ReactNode, useState } from "react";

import { FailureNotice } from "./failure-notice.tsx";

/**
 * Confirms an action that cannot be undone, and names its consequences. It closes once `onConfirm` has resolved, and
 * shows its error. With `typed`, the user must type that text first.
 */
export function ConfirmDialog({
  trigger,
  title,
  description,
  children,
  confirmLabel,
  typed,
  isDestructive = true,
  onConfirm,
}: {
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
  const { isOpen, setOpen, isBusy, failure, confirm } = useConfirm(onConfirm);
  const [text, setText] = useState("");
  const isTyped = typed === undefined || text === typed;
  return (
    <LayerDialog.Alert
      open={isOpen}
      onOpenChange={(open) => {
        setText("");
        setOpen(open);
      }}
      dismissDisabled={isBusy}
    >
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

function useConfirm(onConfirm: () => Promise<unknown>) {
  const [isOpen, setIsOpen] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const setOpen = (open: boolean) => {
    setFailure(undefined);
    setIsOpen(open);
  };
  const confirm = async () => {
    setBusy(true);
    setFailure(undefined);
    try {
      await onConfirm();
      setIsOpen(false);
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return { isOpen, setOpen, isBusy, failure, confirm };
}
