import type { ReactNode } from "react";

import type { List } from "../api/pages.ts";
import { DataTable, usePages } from "./data-table.tsx";
import { useNamedRow } from "./named-row.ts";
import type { Column } from "./virtual-table.tsx";

const NO_DIALOGS: readonly string[] = [];

/** A table of a list of the API. */
export function ListTable<Row>({
  list,
  dialogs = NO_DIALOGS,
  ...table
}: {
  list: List<Row>;
  /** The actions with a dialog in each row, which opens by its URL wherever the row is in the list. */
  dialogs?: readonly string[];
  label: string;
  columns: Column<Row>[];
  rowKey: (row: Row) => string;
  empty: ReactNode;
  minWidth?: string;
}) {
  const pages = usePages(list.queryKey, list.read);
  const { rowKey } = table;
  const named = useNamedRow(list, { data: pages.data, rowKey, actions: dialogs });
  return <DataTable pages={pages} named={named} {...table} />;
}
