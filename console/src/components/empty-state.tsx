import { Empty } from "@cloudflare/kumo";
import type { ReactNode } from "react";

/** Shown where a list has nothing: what would be there, and the next step as a command or a button. */
export function EmptyState({
  icon,
  title,
  sentence,
  command,
  action,
}: {
  icon?: ReactNode;
  title: string;
  sentence?: string;
  /** For a terminal. */
  command?: string;
  action?: ReactNode;
}) {
  return (
    <Empty
      size="sm"
      title={title}
      {...(icon === undefined ? {} : { icon })}
      {...(sentence === undefined ? {} : { description: sentence })}
      {...(command === undefined ? {} : { commandLine: command })}
      {...(action === undefined ? {} : { contents: action })}
    />
  );
}
