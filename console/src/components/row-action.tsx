import { Button } from "@cloudflare/kumo";
import { PencilSimpleIcon, TrashIcon } from "@phosphor-icons/react";
import type { QueryKey } from "@tanstack/react-query";
import type { ReactElement } from "react";

import { useAction } from "./action.ts";
import { ConfirmDialog } from "./confirm-dialog.tsx";

const TRASH = <TrashIcon />;

const PENCIL = <PencilSimpleIcon />;

/** A small button in a row of a list, which confirms an action that cannot be undone. */
export function RowAction({
  label,
  icon = TRASH,
  size = "sm",
  run,
  done,
  changes,
  onDone,
  ...question
}: {
  /** The name of the dialog, with the id of the row's resource. */
  name: string;
  /** Names the button, with the row's resource. */
  label: string;
  icon?: ReactElement;
  size?: "xs" | "sm";
  title: string;
  description: string;
  confirmLabel: string;
  run: () => Promise<unknown>;
  /** The confirmation shown afterwards. */
  done: string;
  /** The keys of the changed queries. */
  changes: QueryKey[];
  onDone?: () => void;
}) {
  const action = useAction({
    run,
    done,
    changes,
    isFailureShown: true,
    ...(onDone && { onDone }),
  });
  return (
    <ConfirmDialog
      trigger={<RowButton label={label} icon={icon} size={size} />}
      onConfirm={() => action.mutateAsync()}
      {...question}
    />
  );
}

/** The button of a row that opens a form or the like. A dialog passes it the props of a trigger. */
export function RowButton({
  label,
  icon = PENCIL,
  size = "sm",
  ...trigger
}: {
  label: string;
  icon?: ReactElement;
  size?: "xs" | "sm";
  loading?: boolean;
  onClick?: () => void;
}) {
  return (
    <Button
      variant="ghost"
      size={size}
      shape="square"
      icon={icon}
      aria-label={label}
      title={label}
      {...trigger}
    />
  );
}
