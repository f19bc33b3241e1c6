import { AppLink } from "../../components/app-link.tsx";

/** A position in a source's own code: `orders.js:6:9`, `at run (lib/a.ts:1:2)`. */
const PLACE = /([\w@./-]+\.[cm]?[jt]sx?):(\d+):(\d+)/;

/** A stack or another text, with links from positions to the lines of the code. */
export function Stack({ text, sourceId }: { text: string; sourceId: string }) {
  const lines = text.split("\n");
  return (
    <pre className="overflow-x-auto rounded-lg bg-kumo-recessed p-3 font-mono text-sm wrap-anywhere whitespace-pre-wrap">
      {lines.map((line, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- lines may be alike, and never move.
        <StackLine key={index} line={line} sourceId={sourceId} />
      ))}
    </pre>
  );
}

function StackLine({ line, sourceId }: { line: string; sourceId: string }) {
  const place = PLACE.exec(line);
  const [whole = "", file = "", lineNumber = ""] = place ?? [];
  if (!place || file.includes("node_modules")) return <>{`${line}\n`}</>;
  const start = place.index;
  return (
    <>
      {line.slice(0, start)}
      <AppLink
        to={`/sources/${encodeURIComponent(sourceId)}/code`}
        search={{ file, line: Number(lineNumber) }}
        className="text-kumo-link underline"
      >
        {whole}
      </AppLink>
      {`${line.slice(start + whole.length)}\n`}
    </>
  );
}
