import { type Fake, json, jsonOf, routes } from "../fake.ts";
import type { Scenario } from "../scenario.ts";
import type { Stage } from "../stage.ts";

/** A record of the fake provider. */
type Thing = { id: number; created: string };

/** The number of records on a page. */
const PAGE = 2;

function things(count: number): Thing[] {
  return Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    created: new Date(Date.UTC(2025, 0, 1, 0, index)).toISOString(),
  }));
}

function ascending(found: readonly Thing[]): number[] {
  return found.map(({ id }) => id).toSorted((a, b) => a - b);
}

/** Five records at first, two more later: each poll reads page after page and emits the new ones. */
async function pollTwice(stage: Stage, fakeOf: (stored: Thing[]) => Fake): Promise<void> {
  const stored = things(5);
  stage.serve(fakeOf(stored));
  await stage.deploy();
  await stage.tick();
  const first = await stage.emitted<Thing>(5);
  stage.equal("the first poll", ascending(first), [1, 2, 3, 4, 5]);
  stored.push(...things(7).slice(5));
  await stage.tick();
  const both = await stage.emitted<Thing>(7);
  stage.equal("the second poll", ascending(both.slice(5)), [6, 7]);
}

/** A cursor is opaque: the fake accepts only its own cursors. */
function cursorPages(stored: Thing[]): Fake {
  const cursors = new Map<string, number>();
  return routes({
    "GET cursor.example/v1/things": ({ url, headers }) => {
      if (headers["authorization"] !== "Bearer key-1") return json({ error: "unauthorized" }, 401);
      const cursor = url.searchParams.get("cursor");
      const from =
        cursor === null ? Number(url.searchParams.get("after") ?? 0) : cursors.get(cursor);
      if (from === undefined) return json({ error: "invalid_cursor" }, 400);
      const next = from + PAGE;
      const token = Buffer.from(`at:${next}`).toString("base64url");
      if (next < stored.length) cursors.set(token, next);
      return json({
        data: stored.slice(from, next),
        meta: { has_more: next < stored.length, next_cursor: next < stored.length ? token : null },
      });
    },
  });
}

function offsetPages(stored: Thing[]): Fake {
  return routes({
    "GET offset.example/things": ({ url }) => {
      const [offset, limit] = ["offset", "limit"].map((name) => Number(url.searchParams.get(name)));
      if (!limit || limit > PAGE) return json({ message: `limit must be 1 to ${PAGE}` }, 422);
      return json({ total: stored.length, items: stored.slice(offset, (offset ?? 0) + limit) });
    },
  });
}

function tokenPages(stored: Thing[]): Fake {
  return routes({
    "POST token-pages.example/things:search": (request) => {
      const { pageToken = "0", pageSize } = jsonOf<{ pageToken?: string; pageSize: number }>(
        request,
      );
      const next = Number(pageToken) + pageSize;
      return json({
        things: stored.slice(Number(pageToken), next),
        ...(next < stored.length && { nextPageToken: String(next) }),
      });
    },
  });
}

function linkPages(stored: Thing[]): Fake {
  return routes({
    "GET link.example/things": ({ url }) => {
      const page = Number(url.searchParams.get("page") ?? 1);
      const isLast = page * PAGE >= stored.length;
      const link = `<https://link.example/things?page=${page + 1}>; rel="next", <https://link.example/things?page=1>; rel="first"`;
      return json(stored.slice((page - 1) * PAGE, page * PAGE), 200, isLast ? {} : { link });
    },
  });
}

function graphqlPages(stored: Thing[]): Fake {
  return routes({
    "POST graphql.example/graphql": (request) => {
      const { query, variables } = jsonOf<{ query: string; variables: { after?: string } }>(
        request,
      );
      if (!query.includes("pageInfo")) return json({ errors: [{ message: "Request pageInfo" }] });
      const from = variables.after ? Number(variables.after) : 0;
      const edges = stored.slice(from, from + PAGE).map((node, index) => ({
        cursor: String(from + index + 1),
        node,
      }));
      const hasNextPage = from + PAGE < stored.length;
      const pageInfo = { hasNextPage, endCursor: edges.at(-1)?.cursor ?? null };
      return json({ data: { things: { edges, pageInfo } } });
    },
  });
}

const credentials = { api_key: "key-1" };

export const PAGES: Scenario[] = [
  {
    protocol: "cursor pages",
    component: "components/cursor/sources/new-thing/new-thing.mjs",
    credentials,
    play: (stage) => pollTwice(stage, cursorPages),
  },
  {
    protocol: "offset pages",
    component: "components/offset/sources/new-thing/new-thing.mjs",
    credentials,
    play: (stage) => pollTwice(stage, offsetPages),
  },
  {
    protocol: "page tokens",
    component: "components/token_pages/sources/new-thing/new-thing.mjs",
    credentials,
    play: (stage) => pollTwice(stage, tokenPages),
  },
  {
    protocol: "Link headers",
    component: "components/link/sources/new-thing/new-thing.mjs",
    credentials,
    play: (stage) => pollTwice(stage, linkPages),
  },
  {
    protocol: "GraphQL connections",
    component: "components/graphql/sources/new-thing/new-thing.ts",
    credentials,
    play: (stage) => pollTwice(stage, graphqlPages),
  },
];
