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

/** A page of a list, as the API has it. */
export type Page<Row> = {
  page_info: { total_count: number; count: number; end_cursor: string | null };
  data: Row[];
};

/** Reads the page of at most 100 rows behind a cursor. */
export type ReadPage<Row> = (cursor: {
  limit: number;
  after?: string;
  signal: AbortSignal;
}) => Promise<Page<Row>>;

const PAGE_ROWS = 100;

const LOADING_ROWS = ["a", "b", "c", "d", "e", "f"];

/** The pages of a list as they are scrolled to. The rows stay until the response for another filter arrives. */
export function usePages<Row>(queryKey: QueryKey, read: ReadPage<Row>): Pages<Row> {
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      read({ limit: PAGE_ROWS, signal, ...(pageParam === undefined ? {} : { after: pageParam }) }),
    initialPageParam: undefined as string | undefined,
    // A page may have fewer rows than asked for, so only an empty one is the end.
    getNextPageParam: ({ data, page_info: { end_cursor: cursor } }) =>
      data.length === 0 ? undefined : (cursor ?? undefined),
    placeholderData: keepPreviousData,
    // Reads every page that was scrolled to anew: for changes, not for each look at the window.
    refetchOnWindowFocus: false,
  });
}

type Pages<Row> = UseInfiniteQueryResult<InfiniteData<Page<Row>, string | undefined>>;

/** A list over its pages: loading, failed, empty, or a table that reads on as it is scrolled. */
export function DataTable<Row>({
  pages,
  empty,
  ...table
}: {
  label: string;
  columns: Column<Row>[];
  pages: Pages<Row>;
  rowKey: (row: Row) => string;
  /** Shown where there are no rows. */
  empty: ReactNode;
  minWidth?: string | undefined;
  isSelected?: ((row: Row) => boolean) | undefined;
}) {
  const { data, error, isFetching, refetch } = pages;
  const { rows, total, readOn } = useRows(pages);
  const notice = error && <FailureNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return notice ?? <LoadingRows label={table.label} />;
  if (rows.length === 0)
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
 * The rows of the pages that were read, and a function that reads the next one. It waits for the request in flight: the next
 * page would cancel reading a list anew, and rows that were deleted would stay.
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

/** Stands where rows will be, until they were read. */
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
