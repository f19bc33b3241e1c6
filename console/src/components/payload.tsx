import { CopyButton } from "./copy.tsx";
import { JsonTree } from "./json-tree.tsx";

/** The body of a request or response: a tree if it is JSON, else its text. */
export function Payload({ text, label }: { text: string; label: string }) {
  if (text === "") return <p className="text-sm text-kumo-subtle">The {label} is empty.</p>;
  const value = jsonOf(text);
  return (
    <div className="flex min-w-0 flex-col gap-2 rounded-lg bg-kumo-base p-3 ring ring-kumo-line">
      {value === undefined ? (
        <pre
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard scrolls it.
          tabIndex={0}
          aria-label={label}
          className="max-h-96 overflow-auto font-mono text-sm break-words whitespace-pre-wrap"
        >
          {text}
        </pre>
      ) : (
        <JsonTree value={value} root={label} />
      )}
      <div>
        <CopyButton label={`Copy the ${label}`} text={() => text} />
      </div>
    </div>
  );
}

/** The object or array of a JSON text. */
function jsonOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Headers of a request, as text. */
export function Headers({ headers, label }: { headers: Record<string, string>; label: string }) {
  return (
    <dl
      aria-label={label}
      className="grid grid-cols-1 gap-x-4 overflow-x-auto rounded-lg bg-kumo-base p-3 font-mono text-sm ring ring-kumo-line sm:grid-cols-[max-content_minmax(0,1fr)]"
    >
      {Object.entries(headers).map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-kumo-subtle">{name}</dt>
          <dd className="break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
