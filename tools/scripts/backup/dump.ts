import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync, type SQLOutputValue } from "node:sqlite";

/** D1 accepts statements of up to 100 KB, and rows of 2 MB: longer values are split into pieces. */
const MAX_STATEMENT = 80_000;
/** Every character may be a doubled quote, or three bytes. */
const PIECE_LENGTH = 20_000;

/** A file is read whole, and D1 executes each separately. */
const PART_LENGTH = 32 * 1024 * 1024;

/** Tables of D1 and of SQLite. */
const OWN = "name NOT LIKE '\\_cf\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";

/** Write the whole content of a SQLite database into files of a folder: statements that recreate it in an empty one. */
export async function dumpDatabase(database: string, folder: string): Promise<void> {
  const db = new DatabaseSync(database, { readOnly: true, enableForeignKeyConstraints: false });
  try {
    db.exec("BEGIN");
    let part = 0;
    for (const statements of partsOf(statementsOf(db))) {
      const name = `${String(part).padStart(5, "0")}.sql`;
      await writeFile(join(folder, name), statements, { mode: 0o600 });
      part += 1;
    }
  } finally {
    db.close();
  }
}

/** The files that `dumpDatabase` has written, in their order. */
export async function dumpedFiles(folder: string): Promise<string[]> {
  return (await readdir(folder)).toSorted().map((name) => join(folder, name));
}

/** Run files of statements on a SQLite database, all of them or none. Throws if one fails. */
export async function loadFiles(
  database: string,
  files: readonly string[],
  before = "",
): Promise<void> {
  const db = new DatabaseSync(database, { enableForeignKeyConstraints: false });
  try {
    db.exec(`BEGIN;\n${before}`);
    for (const file of files) db.exec(await readFile(file, "utf8"));
    db.exec("COMMIT");
  } finally {
    db.close();
  }
}

function* partsOf(statements: Iterable<string>): Generator<string> {
  let part = "";
  for (const statement of statements) {
    part += statement;
    if (part.length < PART_LENGTH) continue;
    yield part;
    part = "";
  }
  if (part !== "") yield part;
}

/** The migrations that a database records, in their order. */
export function migrationsOf(database: string): string[] {
  const db = new DatabaseSync(database, { readOnly: true });
  try {
    const rows = db.prepare("SELECT name FROM d1_migrations ORDER BY name").all();
    return rows.map(({ name }) => String(name));
  } finally {
    db.close();
  }
}

/** The tables of a database that a restore replaces. */
export function tablesOf(database: string): Table[] {
  const db = new DatabaseSync(database, { readOnly: true });
  try {
    return readTables(db);
  } finally {
    db.close();
  }
}

/** The statements that drop some tables, with their indexes and triggers. */
export function dropsOf(tables: readonly Table[]): string {
  const order = inOrder(tables).toReversed();
  return order.map(({ name }) => `DROP TABLE ${quoted(name)};\n`).join("");
}

/** Queries the tables of a database, local or remote. */
export const TABLES_QUERY = `SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND ${OWN}`;

export type Table = { name: string; sql: string };

function readTables(db: DatabaseSync): Table[] {
  const rows = db.prepare(TABLES_QUERY).all();
  return inOrder(rows.map(({ name, sql }) => ({ name: String(name), sql: String(sql) })));
}

/** Tables with references come after the referenced ones. */
function inOrder(tables: readonly Table[]): Table[] {
  const refers = ({ sql }: Table): number => Number(/ REFERENCES /i.test(sql));
  return tables.toSorted((a, b) => refers(a) - refers(b));
}

function* statementsOf(db: DatabaseSync): Generator<string> {
  const tables = readTables(db);
  for (const { sql } of tables) yield `${sql};\n`;
  for (const { name } of tables) yield* insertsOf(db, name);
  yield* countersOf(db);
  // Triggers come last, so that restored rows do not fire them.
  const rest = `SELECT sql FROM sqlite_schema WHERE type IN ('index', 'trigger') AND sql IS NOT NULL AND ${OWN}
    ORDER BY type, name`;
  for (const { sql } of db.prepare(rest).all()) yield `${String(sql)};\n`;
}

function* insertsOf(db: DatabaseSync, table: string): Generator<string> {
  const columns = columnsOf(db, table);
  // SQLite would end text at a zero character, so it is written as bytes.
  const values = columns.map(
    (name) =>
      `iif(typeof(${name}) = 'text' AND instr(${name}, char(0)), CAST(${name} AS BLOB), ${name})`,
  );
  const types = columns.map((name) => `typeof(${name})`).join(" || ' ' || ");
  const query = `SELECT rowid, ${types}, ${values.join(", ")} FROM ${quoted(table)} ORDER BY rowid`;
  const rows = db.prepare(query);
  rows.setReadBigInts(true);
  for (const row of rows.iterate()) {
    const [rowId, kinds, ...cells] = Object.values(row);
    const kindOf = String(kinds).split(" ");
    const texts = cells.map((cell, index) => literal(cell, kindOf[index] === "text"));
    yield* insertOf(table, { rowId: String(rowId), columns, cells, texts });
  }
}

function columnsOf(db: DatabaseSync, table: string): string[] {
  const rows = db.prepare("SELECT name FROM pragma_table_info(?)").all(table);
  return rows.map(({ name }) => quoted(String(name)));
}

type Insert = {
  rowId: string;
  /** In quotes. */
  columns: string[];
  cells: SQLOutputValue[];
  /** The cells as SQL literals. */
  texts: string[];
};

/** Texts that are too long for one statement are joined by several. */
function* insertOf(table: string, { rowId, columns, cells, texts }: Insert): Generator<string> {
  const whole = insert(table, columns, texts);
  if (whole.length <= MAX_STATEMENT) {
    yield whole;
    return;
  }
  const begun = cells.map((cell, index) => (isLong(cell) ? "''" : (texts[index] ?? "NULL")));
  yield insert(table, ["rowid", ...columns], [rowId, ...begun]);
  for (const [index, cell] of cells.entries()) {
    if (!isLong(cell)) continue;
    const column = columns[index] ?? "";
    for (const piece of piecesOf(cell))
      yield `UPDATE ${quoted(table)} SET ${column} = ${column} || ${literal(piece)} WHERE rowid = ${rowId};\n`;
  }
}

function isLong(value: SQLOutputValue): value is string {
  return typeof value === "string" && value.length > PIECE_LENGTH;
}

function insert(table: string, columns: string[], values: string[]): string {
  return `INSERT INTO ${quoted(table)} (${columns.join(", ")}) VALUES (${values.join(", ")});\n`;
}

/** By whole characters: half of one cannot be written. */
function* piecesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    const end = from + PIECE_LENGTH;
    const splits = /[\uD800-\uDBFF]/.test(text.charAt(end - 1)) ? end - 1 : end;
    yield text.slice(from, splits);
    from = splits;
  }
}

/** A used number is never assigned again, though its row is deleted. */
function* countersOf(db: DatabaseSync): Generator<string> {
  const known = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'").all();
  if (known.length === 0) return;
  yield "DELETE FROM sqlite_sequence;\n";
  for (const { name, seq } of db.prepare("SELECT name, seq FROM sqlite_sequence").all())
    yield insert("sqlite_sequence", ["name", "seq"], [literal(String(name)), String(seq)]);
}

function literal(value: SQLOutputValue, isText = true): string {
  if (value === null) return "NULL";
  if (value instanceof Uint8Array) {
    const bytes = `X'${Buffer.from(value).toString("hex")}'`;
    return isText ? `CAST(${bytes} AS TEXT)` : bytes;
  }
  if (typeof value === "string") return `'${value.replaceAll("'", "''")}'`;
  // Integers were read as numbers without a decimal point.
  return typeof value === "number" && Number.isInteger(value)
    ? value.toExponential()
    : String(value);
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
