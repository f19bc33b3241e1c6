import { inspect } from "node:util";

const INDEX = "(index)";
const VALUES = "Values";

/**
 * The rows of an object or a list as a table of text, like `console.table`; undefined if there are none.
 * @param {any} data
 * @param {any} columns
 */
export function tableOf(data, columns) {
  if (typeof data !== "object" || data === null) return undefined;
  const rows = Object.entries(data);
  const names = columns ?? namesIn(rows);
  const hasValues = rows.some(([, row]) => !isRow(row));
  const header = [INDEX, ...names, ...(hasValues ? [VALUES] : [])];
  const cells = rows.map(([index, row]) => [
    index,
    ...names.map((name) => (isRow(row) && Object.hasOwn(row, name) ? shown(row[name]) : "")),
    ...(hasValues ? [isRow(row) ? "" : shown(row)] : []),
  ]);
  return drawn([header, ...cells]);
}

function namesIn(rows) {
  return [...new Set(rows.flatMap(([, row]) => (isRow(row) ? Object.keys(row) : [])))];
}

function isRow(value) {
  return typeof value === "object" && value !== null;
}

function shown(value) {
  return inspect(value, { depth: 0, breakLength: Number.POSITIVE_INFINITY });
}

function drawn([header, ...rows]) {
  const widths = header.map((_, column) =>
    Math.max(...[header, ...rows].map((cells) => cells[column].length)),
  );
  const bars = widths.map((width) => "─".repeat(width + 2));
  const line = (cells) =>
    `│${cells.map((cell, column) => ` ${cell.padEnd(widths[column])} `).join("│")}│`;
  return [
    `┌${bars.join("┬")}┐`,
    line(header),
    `├${bars.join("┼")}┤`,
    ...rows.map(line),
    `└${bars.join("┴")}┘`,
  ].join("\n");
}
