import { bodyFor, type ReadSchema } from "./schema.ts";

/**
 * The shapes of fake responses: components expect different ones, and trials find the one that fits, first the shape
 * with the fields that their code reads. Ids are numbers, as in most APIs; in `text` they are texts.
 */
export const SHAPES = ["read", "text", "object", "list", "nested", "empty"] as const;
export type Shape = (typeof SHAPES)[number];

/** The shapes with the fields that code reads. */
const BY_SCHEMA: ReadonlySet<Shape> = new Set(["read", "text"]);

/** A request of a component. */
export type HttpRequest = {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string;
};

export type FakeResponse = { status: number; headers: Record<string, string>; body: string };

/** Maximum pages of one list, so that a component that reads all pages ends. */
const MAX_PAGES = 2;

const WHEN = "2025-01-02T03:04:05.000Z";

const ITEM = {
  id: 1,
  key: "one",
  uid: "1",
  uuid: "00000000-0000-4000-8000-000000000001",
  name: "One",
  title: "One",
  label: "One",
  slug: "one",
  text: "One",
  description: "The first",
  email: "ada@example.com",
  status: "active",
  type: "thing",
  url: "https://example.com/one",
  date: WHEN,
  timestamp: Date.parse(WHEN) / 1000,
  created: WHEN,
  created_at: WHEN,
  createdAt: WHEN,
  updated_at: WHEN,
  updatedAt: WHEN,
  modified: WHEN,
};

/** Field names of lists, if the path does not name one. */
const LISTS = ["data", "items", "results", "records", "list", "values", "entries", "rows", "value"];

const NO_MORE = {
  has_more: false,
  hasMore: false,
  next: null,
  next_page: null,
  nextPageToken: null,
  cursor: null,
};

/**
 * The fake response to a request: 204 to deletions, otherwise JSON by the shape, or by the schema of the fields that
 * the code reads. `page`: the number of earlier requests for other pages of the same list.
 */
export function responseTo(
  { method, url }: HttpRequest,
  shape: Shape,
  page: number,
  schema?: ReadSchema,
): FakeResponse {
  if (method === "DELETE") return { status: 204, headers: {}, body: "" };
  // Some clients know one of them alone.
  const status = method === "POST" && shape !== "read" ? 201 : 200;
  const headers = {
    "content-type": "application/json",
    date: new Date(Date.parse(WHEN)).toUTCString(),
  };
  const body =
    method === "HEAD"
      ? ""
      : JSON.stringify(shaped({ url, shape, isOver: page >= MAX_PAGES, schema }));
  return { status, headers, body };
}

type Wanted = { url: string; shape: Shape; isOver: boolean; schema: ReadSchema | undefined };

function shaped({ url, shape, isOver, schema }: Wanted): unknown {
  const item = shape === "text" ? { ...ITEM, id: "1" } : ITEM;
  if (schema && BY_SCHEMA.has(shape))
    return bodyFor(schema, { ...item, ...NO_MORE, ok: true }, isOver);
  const items = isOver ? [] : [item];
  if (shape === "list") return items;
  if (shape === "empty") return {};
  const names = [...LISTS, ...namesIn(url)];
  const lists = Object.fromEntries(names.map((name) => [name, items]));
  if (shape !== "nested")
    return { ...item, ...NO_MORE, ok: true, success: true, total: items.length, ...lists };
  const inner = { ...item, ...NO_MORE, ...lists };
  return { ...inner, data: inner, result: inner, response: inner, payload: inner };
}

/** The words of a path: the response to `/v1/contact_lists` has `contact_lists` and `contactLists`. */
function namesIn(url: string): string[] {
  const words = new URL(url).pathname.split("/").map((segment) => segment.replace(/\.\w+$/, ""));
  const named = words.filter((word) => /^[A-Za-z][\w-]*$/.test(word));
  return [...named, ...named.map((word) => camelCased(word))];
}

function camelCased(word: string): string {
  return word.replaceAll(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase());
}
