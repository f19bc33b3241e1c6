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
  /** Reads one item by its id, if the API can; it rejects if there is none. */
  readItem?: (id: string, signal: AbortSignal) => Promise<Item | undefined>;
};

/** Maximum pages that are read to find an item. */
const MAX_PAGES = 100;

const PAGE_ITEMS = 100;

/** One item of a list, by its id or else from the pages of the list. */
export async function itemOf<Item>(
  list: List<Item>,
  { id, isItem, signal }: { id: string; isItem: (item: Item) => boolean; signal: AbortSignal },
): Promise<Item | undefined> {
  if (list.readItem) return list.readItem(id, signal);
  let after: string | undefined;
  for (let read = 0; read < MAX_PAGES; read += 1) {
    // oxlint-disable-next-line no-await-in-loop -- each page begins where the last one ends.
    const page = await list.read({
      limit: PAGE_ITEMS,
      signal,
      ...(after !== undefined && { after }),
    });
    const item = page.data.find((one) => isItem(one));
    const cursor = page.page_info.end_cursor;
    if (item !== undefined || cursor === null || page.data.length === 0) return item;
    after = cursor;
  }
  return undefined;
}

/** All items of a list without pages, as its one page. */
export function onePage<Item>(items: Item[]): Page<Item> {
  const count = items.length;
  return { page_info: { total_count: count, count, end_cursor: null }, data: items };
}
