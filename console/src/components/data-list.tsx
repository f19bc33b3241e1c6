import { Button } from "@cloudflare/kumo";
import type { ReactNode } from "react";

import type { List } from "../api/pages.ts";
import { LoadingRows, usePages } from "./data-table.tsx";
import { FailureNotice } from "./failure-notice.tsx";

/** Maximum items in the document; a filter finds the others. */
const MAX_ITEMS = 100;

/** A list of the API with items of different heights. */
export function DataList<Item>({
  label,
  list,
  itemKey,
  item,
  empty,
}: {
  label: string;
  list: List<Item>;
  itemKey: (item: Item) => string;
  item: (item: Item) => ReactNode;
  empty: ReactNode;
}) {
  const { data, error, refetch, isFetching } = usePages(list.queryKey, list.read);
  if (error) return <FailureNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <LoadingRows label={label} />;
  const page = data.pages[0];
  if (!page || page.data.length === 0) return empty;
  return (
    <>
      <ul aria-label={label} className="flex flex-col gap-2">
        {page.data.slice(0, MAX_ITEMS).map((one) => (
          <li key={itemKey(one)}>{item(one)}</li>
        ))}
      </ul>
      <div className="flex items-center gap-3 text-sm text-kumo-subtle">
        <span>
          {page.data.length} of {page.page_info.total_count}
        </span>
        <Button size="sm" loading={isFetching} onClick={() => void refetch()}>
          Refresh
        </Button>
      </div>
    </>
  );
}
