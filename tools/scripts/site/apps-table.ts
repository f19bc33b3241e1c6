import type { CatalogueEntry } from "#domain/connect/catalogue.ts";

const KINDS: Record<CatalogueEntry["auth_type"], string> = {
  keys: "keys",
  oauth: "OAuth",
  none: "none",
};

const HEAD = `| slug | name | kind | documentation | reviews |
| --- | --- | --- | --- | --- |`;

/** The entries of the catalogue as a table of Markdown. */
export function appsTable(entries: Readonly<Record<string, CatalogueEntry>>): string {
  const rows = Object.entries(entries).map(([slug, entry]) => rowOf(slug, entry));
  return `${rows.length} apps:\n\n${[HEAD, ...rows].join("\n")}\n`;
}

function rowOf(slug: string, { name, aliases, auth_type, docs, client }: CatalogueEntry): string {
  const slugs = [slug, ...aliases].map((one) => `\`${one}\``).join(", ");
  const cells = [slugs, cellOf(name), KINDS[auth_type], linkTo(docs), cellOf(client?.review ?? "")];
  return `| ${cells.join(" | ")} |`;
}

function linkTo(url: string): string {
  // Characters that end a link or a cell.
  const target = url.replaceAll(
    /[()|\s]/g,
    (character) => `%${character.codePointAt(0)?.toString(16)}`,
  );
  return `[${new URL(url).host}](${target})`;
}

/** A text in a cell, without meaning in Markdown. */
function cellOf(text: string): string {
  return text.replaceAll(/[\\|*_`[\]<>]/g, String.raw`\$&`).replaceAll(/\s+/g, " ");
}
