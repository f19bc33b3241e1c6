import { Empty } from "@cloudflare/kumo";
import { lazy, type ReactNode, Suspense } from "react";

const Command = lazy(async () => ({ default: (await import("./command.tsx")).Command }));

/** Shown for an empty list: its purpose, and the next step as a command or a button. */
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
      contents={
        <>
          {command?.startsWith("npx wellspring") && (
            <p className="text-sm text-kumo-subtle">In a clone of Wellspring:</p>
          )}
          {command !== undefined && (
            <Suspense fallback={<code>{command}</code>}>
              <Command text={command} />
            </Suspense>
          )}
          {action}
        </>
      }
    />
  );
}
