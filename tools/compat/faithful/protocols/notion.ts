import { type Fake, json, jsonOf, routes } from "../fake.ts";
import type { Scenario } from "../scenario.ts";
import type { Stage } from "../stage.ts";

type Page = { id: string; last_edited_time: string };
type Query = {
  start_cursor?: string;
  filter?: { last_edited_time?: { after?: string; on_or_after?: string } };
};

/** The number of results on a page. */
const PAGE_SIZE = 2;

const DATABASE = {
  object: "database",
  id: "db-1",
  title: [{ plain_text: "Tasks" }],
  properties: { Name: { id: "title", name: "Name", type: "title" } },
  data_sources: [{ id: "db-1", name: "Tasks" }],
};

function pageOf(id: string, editedAtMs: number): Page {
  const title = [{ plain_text: `${id} at ${editedAtMs}` }];
  const page = {
    object: "page",
    id,
    parent: { type: "database_id", database_id: "db-1" },
    created_time: "2024-01-01T00:00:00.000Z",
    last_edited_time: new Date(editedAtMs).toISOString(),
    properties: { Name: { id: "title", type: "title", title } },
    url: `https://www.notion.so/${id}`,
  };
  return page;
}

/** The results of a query, the last edited first, by the filter on the time of the edit. */
function found(pages: readonly Page[], { filter }: Query): Page[] {
  const { after, on_or_after } = filter?.last_edited_time ?? {};
  const [past, from] = [Date.parse(after ?? "1970-01-01"), Date.parse(on_or_after ?? "1970-01-01")];
  return pages
    .filter(({ last_edited_time: at }) => Date.parse(at) > past && Date.parse(at) >= from)
    .toSorted((a, b) => (a.last_edited_time < b.last_edited_time ? 1 : -1));
}

function workspace(pages: readonly Page[]): Fake {
  const query = (request: { body: string; headers: Record<string, string> }) => {
    if (!request.headers["notion-version"]) return json({ code: "missing_version" }, 400);
    const wanted = jsonOf<Query>(request);
    const from = Number(wanted.start_cursor ?? 0);
    const matching = found(pages, wanted);
    const hasMore = from + PAGE_SIZE < matching.length;
    return json({
      object: "list",
      results: matching.slice(from, from + PAGE_SIZE),
      next_cursor: hasMore ? String(from + PAGE_SIZE) : null,
      has_more: hasMore,
    });
  };
  const host = "api.notion.com/v1";
  return routes({
    [`POST ${host}/databases/:id/query`]: query,
    [`POST ${host}/data_sources/:id/query`]: query,
    [`GET ${host}/databases/:id`]: () => json(DATABASE),
    [`GET ${host}/data_sources/:id`]: () => json(DATABASE),
  });
}

/** Two polls: none of the existing pages, then the one page with a later edit. */
async function updatedPages(stage: Stage): Promise<void> {
  const now = Date.now();
  const pages = ["a", "b", "c"].map((id, index) => pageOf(id, now - 60_000 * (index + 1)));
  stage.serve(workspace(pages));
  await stage.deploy({ databaseId: "db-1", dataSourceId: "db-1" });
  await stage.tick();
  await stage.emitted(0);
  pages[1] = pageOf("b", Date.now() + 1000);
  await stage.tick();
  const [event] = await stage.emitted<{ page: Page; changes: { property: string }[] }>(1);
  stage.equal("the second poll", event?.page.id, "b");
  stage.equal(
    "the change",
    event?.changes.map(({ property }) => property),
    ["Name"],
  );
}

export const NOTION: Scenario[] = ["notion_like", "notion"].map((app) => ({
  protocol: "Notion query pages",
  component: `components/${app}/sources/updated-page/updated-page.mjs`,
  credentials: { oauth_access_token: "token-1" },
  follows: "notion-updated-page 1.0.1, April 2026",
  play: updatedPages,
}));
