import { type InfiniteData, useQuery } from "@tanstack/react-query";

import { itemOf, type List, type Page } from "../api/pages.ts";
import { useDialogId } from "./opening.ts";

/**
 * The row of a list whose dialog the URL names, also if it is beyond the loaded pages or outside of the filter. `actions`
 * are the dialogs of its rows.
 */
export function useNamedRow<Row>(
  list: List<Row>,
  {
    data,
    rowKey,
    actions,
  }: {
    data: InfiniteData<Page<Row>> | undefined;
    rowKey: (row: Row) => string;
    actions: readonly string[];
  },
): Row | undefined {
  const id = useDialogId(actions);
  const loaded = data?.pages.flatMap((page) => page.data).find((row) => rowKey(row) === id);
  const { data: found } = useQuery({
    // Apart from the list: its dialog may delete the row, which must not be read again.
    queryKey: ["named_row", ...list.queryKey, id],
    queryFn: async ({ signal }) =>
      loaded ??
      (await itemOf(list, { id: id ?? "", isItem: (row) => rowKey(row) === id, signal })) ??
      null,
    enabled: id !== undefined && data !== undefined,
    staleTime: Infinity,
    gcTime: 0,
  });
  return id === undefined ? undefined : (loaded ?? found ?? undefined);
}
