import { readFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";

import { type Page, PAGES, sourceOf } from "../../../docs/.vitepress/contents.ts";
import { readEntries } from "../assets/catalogue.ts";
import { ROOT } from "../local/settings.ts";
import { appsTable } from "./apps-table.ts";

/** A link or picture in prose, and blocks and spans of code, which contain none. */
const LINK_OR_CODE = /^```[^]*?^```$|`[^`\n]*`|\]\(([^)\s]+)\)/gm;

/** The platform's URLs of link targets that are not pages. */
const SERVED: Record<string, string> = { "docs/schemas": "/schemas/workflow.json" };

/** The place of the table of apps in a page, as a comment: elsewhere, the page is without it. */
const TABLE_OF_APPS = "<!-- The table of apps -->\n";

const pageBySource = new Map(PAGES.map((page) => [sourceOf(page), page.name]));

/** The pages of the site, by name: links lead to pages of the site, or are left out. */
export async function renderPages(): Promise<Map<string, string>> {
  const rendered = await Promise.all(
    PAGES.map(async (page) => [page.name, await renderPage(page)] as const),
  );
  return new Map(rendered);
}

async function renderPage(page: Page): Promise<string> {
  const source = sourceOf(page);
  const text = await withAppsTable(await readFile(join(ROOT, source), "utf8"));
  return withSiteLinks(withoutComments(text), dirname(source));
}

/** A list of all pages for programs that read the site (llms.txt). */
export function indexOfPages(): string {
  const lines = PAGES.map(({ name, title, about }) => `- [${title}](/docs/${name}.md): ${about}`);
  return `# Wellspring

> Event sources, workflows and webhooks on your own Cloudflare account or your own machine, compatible with Pipedream's API v1 and component model.

## Pages

${lines.join("\n")}

## Documents

- [API](/v1/openapi.json): OpenAPI 3.1
- [Connect API](/v1/connect/openapi.json): OpenAPI 3.1
- [Operator API](/docs/api/admin.json): OpenAPI 3.1
- [Workflow files](/schemas/workflow.json): JSON Schema
- [Definitions of components](/schemas/component.json): JSON Schema
`;
}

async function withAppsTable(text: string): Promise<string> {
  if (!text.includes(TABLE_OF_APPS)) return text;
  const table = appsTable(await readEntries());
  return text.replace(TABLE_OF_APPS, () => table);
}

function withoutComments(text: string): string {
  return text.replaceAll(/^<!--.*?-->\n/gm, "");
}

function withSiteLinks(text: string, folder: string): string {
  return text.replaceAll(LINK_OR_CODE, (whole, link?: string) =>
    link === undefined ? whole : `](${siteLink(link, folder)})`,
  );
}

function siteLink(link: string, folder: string): string {
  if (/^(?:[a-z]+:|#|\/)/.test(link)) return link;
  const [path = "", anchor] = link.split("#");
  const target = normalize(join(folder, path));
  const name = pageBySource.get(target);
  const suffix = anchor === undefined ? "" : `#${anchor}`;
  if (name !== undefined) return `./${name}.md${suffix}`;
  // A picture lies beside its page.
  if (target.startsWith("docs/") && /\.(?:svg|webp)$/.test(target)) return `./${target.slice(5)}`;
  const served = SERVED[target];
  if (served === undefined) throw new Error(`A page links to ${target}, which is not on the site`);
  return served;
}
