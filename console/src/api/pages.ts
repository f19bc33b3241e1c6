/** One page of a list, in the form of the API. */
export type Page<Item> = {
  page_info: { total_count: number; count: number; end_cursor: string | null };
  data: Item[];
};

type Cursor = { limit: number; after?: string; signal: AbortSignal };

/** A list in pages: its cache key, and the function that reads a page of it. */
export type List<Item> = {
  queryKey: readonly unknown[];
  read: (cursor: Cursor) => Promise<Page<Item>>;
};

/** All items of a list without pages, as its one page. */
export function onePage<Item>(items: Item[]): Page<Item> {
  const count = items.length;
  return { page_info: { total_count: count, count, end_cursor: null }, data: items };
}
