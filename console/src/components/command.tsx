import { CopyButton } from "./copy.tsx";

/** A command to copy. It scrolls by keyboard, too, where it is longer than the page is wide. */
export function Command({ text }: { text: string }) {
  return (
    <div className="flex max-w-full items-center gap-1 rounded-md bg-kumo-recessed pl-3">
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to take the focus. */}
      <pre tabIndex={0} className="overflow-x-auto py-2 text-left text-sm">
        {text}
      </pre>
      <CopyButton text={() => text} label="Copy the command" isIconOnly />
    </div>
  );
}
