import type { ReactNode } from "react";

import type { List } from "../api/pages.ts";
import { DataTable, usePages } from "./data-table.tsx";
import type { Column } from "./virtual-table.tsx";

/** A table of a list of the API. */
export function ListTable<Row>({
  list,
  ...table
}: {
  list: List<Row>;
  label: string;
  columns: Column<Row>[];
  rowKey: (row: Row) => string;
  empty: ReactNode;
  minWidth?: string;
}) {
  const pages = usePages(list.queryKey, list.read);
  return <DataTable pages={pages} {...table} />;
}
