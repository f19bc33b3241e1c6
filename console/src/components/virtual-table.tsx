import { memo, type ReactNode, useEffect, useRef } from "react";

import { ROW_HEIGHT_PX, useRowWindow } from "./use-row-window.ts";

/** One column of a table: its head, and the cell of each row. */
export type Column<Row> = {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** A CSS width, such as `12rem`; the columns without one share the rest. */
  width?: string;
  align?: "right";
};

type TableProps<Row> = {
  label: string;
  columns: Column<Row>[];
  rows: Row[];
  rowKey: (row: Row) => string;
  /** The number of rows, including those that are not loaded yet. */
  total?: number | undefined;
  /** A row that is also shown if it is not among the visible ones. */
  named?: Row | undefined;
  minWidth?: string | undefined;
  isSelected?: ((row: Row) => boolean) | undefined;
  /** Called when the last rows come into view. */
  onEnd?: (() => void) | undefined;
};

/** The distance to the last row at which the next page is loaded. */
const NEAR_END = 8;

/**
 * A table of any number of rows, of which only the visible ones are in the document. It scrolls in a box of its own.
 */
export function VirtualTable<Row>(props: TableProps<Row>) {
  const { label, columns, rows, rowKey, total = rows.length, minWidth = "40rem" } = props;
  const box = useRef<HTMLDivElement>(null);
  const { first, end } = useRowWindow(box, rows.length);
  useReadingOn(rows.length > 0 && end >= rows.length - NEAR_END, props.onEnd);
  const visible = rows.slice(first, end);
  return (
    <section
      ref={box}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard scrolls it.
      tabIndex={0}
      aria-label={label}
      // Cells contain visually hidden text, which would widen the page outside of the box.
      className="relative max-h-[75dvh] overflow-auto rounded-lg bg-kumo-base ring ring-kumo-line"
    >
      <table
        aria-label={label}
        aria-rowcount={total + 1}
        style={{ minWidth }}
        className="isolate w-full table-fixed text-left text-base text-kumo-default"
      >
        <Columns columns={columns} />
        <Heads columns={columns} />
        <tbody>
          <NamedRow {...props} visible={visible} />
          <Spacer rows={first} span={columns.length} />
          {visible.map((row, offset) => (
            <MemoizedRow
              key={rowKey(row)}
              row={row}
              index={first + offset}
              columns={columns}
              isSelected={props.isSelected?.(row) === true}
            />
          ))}
          <Spacer rows={rows.length - end} span={columns.length} />
        </tbody>
      </table>
    </section>
  );
}

function useReadingOn(isNearEnd: boolean, onEnd: (() => void) | undefined): void {
  useEffect(() => {
    if (isNearEnd) onEnd?.();
  }, [isNearEnd, onEnd]);
}

/** The named row above the others, if it is not among them. */
function NamedRow<Item>({
  named,
  visible,
  rowKey,
  columns,
}: Pick<TableProps<Item>, "columns" | "named" | "rowKey"> & { visible: Item[] }) {
  if (named === undefined || visible.some((row) => rowKey(row) === rowKey(named))) return null;
  return <Row row={named} columns={columns} isSelected />;
}

type RowProps<Item> = { row: Item; index?: number; columns: Column<Item>[]; isSelected: boolean };

function Row<Item>({ row, index, columns, isSelected }: RowProps<Item>) {
  return (
    <tr
      aria-rowindex={index === undefined ? undefined : index + 2}
      style={ROW_HEIGHT}
      className={isSelected ? SELECTED_ROW : ROW_CLASSES}
    >
      {columns.map(({ id, cell, align }) => (
        <td key={id} className={align === "right" ? RIGHT_CELL : CELL}>
          {cell(row)}
        </td>
      ))}
    </tr>
  );
}

/** Scrolling a list renders only the rows that become visible. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `memo` loses the parameter of a generic component.
const MemoizedRow = memo(Row) as typeof Row;

const ROW_HEIGHT = { height: ROW_HEIGHT_PX };

/** The library's rows, without its checkboxes, which each table would load. */
const ROW_CLASSES = "group border-b border-kumo-hairline last:border-0 hover:bg-kumo-tint";

const SELECTED_ROW = `${ROW_CLASSES} bg-kumo-tint`;

const CELL = "truncate px-3 py-0";

const RIGHT_CELL = "truncate px-3 py-0 text-right tabular-nums";

function Columns<Row>({ columns }: { columns: Column<Row>[] }) {
  return (
    <colgroup>
      {columns.map(({ id, width }) => (
        <col key={id} style={{ width }} />
      ))}
    </colgroup>
  );
}

const HEAD =
  "sticky top-0 z-1 border-b border-kumo-fill bg-kumo-elevated px-3 py-2 text-xs font-semibold text-kumo-strong";

function Heads<Row>({ columns }: { columns: Column<Row>[] }) {
  return (
    <thead>
      <tr aria-rowindex={1}>
        {columns.map(({ id, header, align }) => (
          <th key={id} scope="col" className={align === "right" ? `${HEAD} text-right` : HEAD}>
            {header}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function Spacer({ rows, span }: { rows: number; span: number }) {
  if (rows <= 0) return null;
  return (
    <tr aria-hidden>
      {/* oxlint-disable-next-line jsx-a11y/control-has-associated-label -- it only takes up room. */}
      <td colSpan={span} style={{ height: rows * ROW_HEIGHT_PX, padding: 0 }} />
    </tr>
  );
}
