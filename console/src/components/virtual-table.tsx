import { Table } from "@cloudflare/kumo";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, type RefObject, useEffect, useRef } from "react";

/** One column of a table: its head, and the cell of each row. */
export type Column<Row> = {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** A CSS width, such as `12rem`; the columns without one share the rest. */
  width?: string;
  align?: "right";
};

const ROW_HEIGHT_PX = 45;

/** Rows beyond the visible ones; with a box of 75 % of any usual screen, at most 100 are in the document. */
const OVERSCAN = 8;

type TableProps<Row> = {
  label: string;
  columns: Column<Row>[];
  rows: Row[];
  rowKey: (row: Row) => string;
  /** How many rows there are, with those that were not read yet. */
  total?: number | undefined;
  minWidth?: string | undefined;
  isSelected?: ((row: Row) => boolean) | undefined;
  /** Called when the last rows come into view. */
  onEnd?: (() => void) | undefined;
};

/** A table of any number of rows, of which only those in view are in the document. It scrolls in a box of its own. */
export function VirtualTable<Row>(props: TableProps<Row>) {
  const { label, columns, rows, total = rows.length, minWidth = "40rem" } = props;
  const box = useRef<HTMLDivElement>(null);
  const { items, measure, before, after } = useVisibleRows(props, box);
  return (
    <section
      ref={box}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls is reached by the keyboard.
      tabIndex={0}
      aria-label={label}
      // What is hidden from sight is placed in cells, and would widen the page if they were not in the box.
      className="relative max-h-[75dvh] overflow-auto rounded-lg bg-kumo-base ring ring-kumo-line"
    >
      <Table layout="fixed" aria-label={label} aria-rowcount={total + 1} style={{ minWidth }}>
        <Columns columns={columns} />
        <Heads columns={columns} />
        <Table.Body>
          <Spacer height={before} span={columns.length} />
          {items.map(({ index, key }) => (
            <Row key={key} index={index} measure={measure} table={props} />
          ))}
          <Spacer height={after} span={columns.length} />
        </Table.Body>
      </Table>
    </section>
  );
}

function useVisibleRows<Row>(
  { rows, rowKey, onEnd }: TableProps<Row>,
  box: RefObject<HTMLDivElement | null>,
) {
  // oxlint-disable-next-line react/incompatible-library -- the compiler, which could not memoize it, is not used.
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT_PX,
    getItemKey: (index) => {
      const row = rows[index];
      return row === undefined ? index : rowKey(row);
    },
    overscan: OVERSCAN,
  });
  const items = virtualizer.getVirtualItems();
  const lastIndex = items.at(-1)?.index ?? 0;
  const isAtEnd = rows.length > 0 && lastIndex >= rows.length - 1 - OVERSCAN;
  useEffect(() => {
    if (isAtEnd) onEnd?.();
  }, [isAtEnd, onEnd]);
  return {
    items,
    measure: virtualizer.measureElement,
    before: items[0]?.start ?? 0,
    after: virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0),
  };
}

function Row<Item>({
  index,
  measure,
  table: { rows, columns, isSelected },
}: {
  index: number;
  measure: (element: HTMLTableRowElement | null) => void;
  table: TableProps<Item>;
}) {
  const row = rows[index];
  if (row === undefined) return null;
  return (
    <Table.Row
      ref={measure}
      data-index={index}
      aria-rowindex={index + 2}
      variant={isSelected?.(row) === true ? "selected" : "default"}
      className={ROW_CLASSES}
    >
      {columns.map(({ id, cell, align }) => (
        <Table.Cell key={id} className={align === "right" ? RIGHT_CELL : CELL}>
          {cell(row)}
        </Table.Cell>
      ))}
    </Table.Row>
  );
}

const ROW_CLASSES =
  "group border-b border-kumo-hairline last:border-0 even:bg-transparent hover:bg-kumo-tint";

/** The library's types do not have it. */
const SCOPE = { scope: "col" };

const CELL = "truncate py-2.5!";

const RIGHT_CELL = "truncate py-2.5! text-right tabular-nums";

function Columns<Row>({ columns }: { columns: Column<Row>[] }) {
  return (
    <colgroup>
      {columns.map(({ id, width }) => (
        <col key={id} style={{ width }} />
      ))}
    </colgroup>
  );
}

function Heads<Row>({ columns }: { columns: Column<Row>[] }) {
  return (
    <Table.Header variant="compact" sticky>
      <Table.Row aria-rowindex={1}>
        {columns.map(({ id, header, align }) => (
          <Table.Head key={id} {...SCOPE} className={align === "right" ? "text-right" : ""}>
            {header}
          </Table.Head>
        ))}
      </Table.Row>
    </Table.Header>
  );
}

function Spacer({ height, span }: { height: number; span: number }) {
  if (height <= 0) return null;
  return (
    <tr aria-hidden>
      {/* oxlint-disable-next-line jsx-a11y/control-has-associated-label -- it only takes up room. */}
      <td colSpan={span} style={{ height, padding: 0 }} />
    </tr>
  );
}
