import { EmptyState } from "../../components/empty-state.tsx";

const MAX_LINES = 5000;

/** The line above each file, which only repeats the following names. */
const SEPARATOR = /^(?:Index: .*|=+)$/;

/** A unified diff. Its signs have the same meaning as its colours. */
export function DiffText({ diff, omitted }: { diff: string; omitted: string[] }) {
  if (diff === "" && omitted.length === 0)
    return <EmptyState title="No differences" sentence="The two versions are the same." />;
  const lines = diff
    .trimEnd()
    .split("\n")
    .filter((line) => !SEPARATOR.test(line));
  return (
    <div className="flex flex-col gap-2">
      <pre
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard scrolls it.
        tabIndex={0}
        aria-label="Differences"
        className="max-h-[75dvh] overflow-auto rounded-lg bg-kumo-base py-2 font-mono text-xs leading-5 ring ring-kumo-line"
      >
        {lines.slice(0, MAX_LINES).map((line, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- lines have no identity but their index.
          <span key={index} className={`block min-w-fit px-4 ${colourOf(line)}`}>
            {line === "" ? " " : line}
          </span>
        ))}
      </pre>
      {lines.length > MAX_LINES && (
        <p className="text-sm text-kumo-subtle">{lines.length - MAX_LINES} more lines differ.</p>
      )}
      {omitted.length > 0 && (
        <p className="text-sm text-kumo-subtle">
          Too many differences to compare: {omitted.join(", ")}
        </p>
      )}
    </div>
  );
}

function colourOf(line: string): string {
  if (line.startsWith("+++") || line.startsWith("---")) return "font-semibold";
  if (line.startsWith("@@")) return "text-kumo-subtle";
  if (line.startsWith("+")) return "bg-kumo-success-tint text-kumo-success";
  return line.startsWith("-") ? "bg-kumo-danger-tint text-kumo-danger" : "";
}
