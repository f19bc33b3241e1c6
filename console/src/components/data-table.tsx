import { Loader, SkeletonLine } from "@cloudflare/kumo";
import {
  type InfiniteData,
  keepPreviousData,
  type QueryKey,
  useInfiniteQuery,
  type UseInfiniteQueryResult,
} from "@tanstack/react-query";
import { type ReactNode, useCallback, useMemo } from "react";

import { FailureNotice } from "./failure-notice.tsx";
import { formatNumber } from "./format.ts";
import { type Column, VirtualTable } from "./virtual-table.tsx";

/** A page of a list, in the form of the API. */
export type Page<Row> = {
  page_info: { total_count: number; count: number; end_cursor: string | null };
  data: Row[];
};

/** Reads the page of at most 100 rows after a cursor. */
export type ReadPage<Row> = (cursor: {
  limit: number;
  after?: string;
  signal: AbortSignal;
}) => Promise<Page<Row>>;

const PAGE_ROWS = 100;

const LOADING_ROWS = ["a", "b", "c", "d", "e", "f"];

/** The pages of a list, loaded on scrolling. The rows stay until the response for another filter arrives. */
export function usePages<Row>(queryKey: QueryKey, read: ReadPage<Row>): Pages<Row> {
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      read({ limit: PAGE_ROWS, signal, ...(pageParam === undefined ? {} : { after: pageParam }) }),
    initialPageParam: undefined as string | undefined,
    // A page may have fewer rows than requested, so only an empty one is the end.
    getNextPageParam: ({ data, page_info: { end_cursor: cursor } }) =>
      data.length === 0 ? undefined : (cursor ?? undefined),
    placeholderData: keepPreviousData,
    // A refetch reads every loaded page: only after changes, not on each focus of the window.
    refetchOnWindowFocus: false,
  });
}

type Pages<Row> = UseInfiniteQueryResult<InfiniteData<Page<Row>, string | undefined>>;

/** A list over its pages: loading, failed, empty, or a table that loads pages on scrolling. */
export function DataTable<Row>({
  pages,
  empty,
  ...table
}: {
  label: string;
  columns: Column<Row>[];
  pages: Pages<Row>;
  rowKey: (row: Row) => string;
  /** Shown without rows. */
  empty: ReactNode;
  /** A row that is shown wherever it is in the list: the URL names its dialog. */
  named?: Row | undefined;
  minWidth?: string | undefined;
  isSelected?: ((row: Row) => boolean) | undefined;
}) {
  const { data, error, isFetching, refetch } = pages;
  const { rows, total, readOn } = useRows(pages);
  const notice = error && <FailureNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return notice ?? <LoadingRows label={table.label} />;
  if (rows.length === 0 && table.named === undefined)
    return (
      <>
        {notice}
        {empty}
      </>
    );
  return (
    <div className="flex flex-col gap-2">
      {notice}
      <VirtualTable {...table} rows={rows} total={total} onEnd={readOn} />
      <Count shown={rows.length} total={total} isBusy={isFetching} />
    </div>
  );
}

/**
 * The rows of the loaded pages, and a function that loads the next one. It waits for the request in flight: the next
 * page would cancel a refetch of the list, and deleted rows would stay.
 */
function useRows<Row>({ data, error, hasNextPage, isFetching, fetchNextPage }: Pages<Row>) {
  const rows = useMemo(() => data?.pages.flatMap((page) => page.data) ?? [], [data]);
  const total = Math.max(rows.length, data?.pages[0]?.page_info.total_count ?? 0);
  const readOn = useCallback(() => {
    if (hasNextPage && !isFetching && !error) void fetchNextPage();
  }, [hasNextPage, isFetching, error, fetchNextPage]);
  return { rows, total, readOn };
}

function Count({ shown, total, isBusy }: { shown: number; total: number; isBusy: boolean }) {
  const count =
    shown < total ? `${formatNumber(shown)} of ${formatNumber(total)}` : formatNumber(total);
  return (
    <output className="flex items-center gap-2 text-sm text-kumo-subtle">
      {count} {total === 1 ? "row" : "rows"}
      {isBusy && <Loader size="sm" />}
    </output>
  );
}

/** The placeholder of rows until they are loaded. */
export function LoadingRows({ label }: { label: string }) {
  return (
    <output
      aria-label={`${label}: loading`}
      className="flex flex-col gap-4 rounded-lg bg-kumo-base p-4 ring ring-kumo-line"
    >
      {LOADING_ROWS.map((key) => (
        <SkeletonLine key={key} />
      ))}
    </output>
  );
}
