import { CopyButton } from "./copy.tsx";

/** Code to copy, as text. */
export function CodeSample({ code, label }: { code: string; label: string }) {
  return (
    <figure className="flex min-w-0 flex-col gap-2" aria-label={label}>
      <pre
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard scrolls it.
        tabIndex={0}
        aria-label={label}
        className="overflow-x-auto rounded-lg bg-kumo-base p-4 font-mono text-sm leading-6 ring ring-kumo-line"
      >
        <code>{code}</code>
      </pre>
      <div>
        <CopyButton label="Copy" text={() => code} />
      </div>
    </figure>
  );
}
