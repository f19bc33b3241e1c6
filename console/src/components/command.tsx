import { CopyButton } from "./copy.tsx";

/** A command to copy. If it is wider than the page, the keyboard also scrolls it. */
export function Command({ text }: { text: string }) {
  return (
    <div className="flex max-w-full items-center gap-1 rounded-md bg-kumo-recessed pl-3">
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard scrolls it. */}
      <pre tabIndex={0} className="overflow-x-auto py-2 text-left text-sm">
        {text}
      </pre>
      <CopyButton text={() => text} label="Copy the command" isIconOnly />
    </div>
  );
}
