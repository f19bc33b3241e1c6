import type { ReactNode } from "react";

/** Links, code and bold text, as in descriptions of components. Other text is unchanged. */
const MARKED = /(\[[^\]\n]+\]\(https?:\/\/[^\s)]+\)|`[^`\n]+`|\*\*[^*\n]+\*\*)/;

const LINK = /^\[([^\]]+)\]\((https?:\/\/[^\s)]+)\)$/;

/** A text of a component, with its links. It is never rendered as HTML. */
export function RichText({ text }: { text: string }) {
  return (
    <span className="whitespace-pre-line [overflow-wrap:anywhere]">
      {text.split(MARKED).map((part, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- the parts of a text never move.
        <Part key={index} text={part} />
      ))}
    </span>
  );
}

function Part({ text }: { text: string }): ReactNode {
  const [, label, url] = LINK.exec(text) ?? [];
  if (url !== undefined)
    return (
      <a href={url} target="_blank" rel="noreferrer" className="text-kumo-link underline">
        {label}
      </a>
    );
  const [, code] = /^`([^`]+)`$/.exec(text) ?? [];
  if (code !== undefined) return <code className="font-mono text-[0.9em]">{code}</code>;
  const [, bold] = /^\*\*([^*]+)\*\*$/.exec(text) ?? [];
  return bold === undefined ? text : <strong>{bold}</strong>;
}
