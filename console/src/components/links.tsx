import type { ReactNode } from "react";

/** The class of a link in a text or a table. */
export const LINK = "rounded-xs font-medium text-kumo-link hover:underline";

/** A link to a URL of another author, in a new tab; text unless it is http or https. */
export function OutsideLink({ url, children }: { url: string; children?: ReactNode }) {
  if (!isOfWeb(url)) return <span>{children ?? url}</span>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" className={LINK}>
      {children ?? url}
    </a>
  );
}

function isOfWeb(url: string): boolean {
  const protocol = URL.parse(url)?.protocol;
  return protocol === "https:" || protocol === "http:";
}
