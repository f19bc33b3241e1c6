import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect } from "vitest";

import { MAX_ROW_BYTES } from "#domain/row-size.ts";

type Size = { table: string; bytes: number };

/**
 * The largest row of each table of an object, key-value storage included. A row counts all of its values, numbers in
 * decimal notation.
 */
async function largestRows(stub: DurableObjectStub): Promise<Size[]> {
  return runInDurableObject(stub, (_, { storage: { sql, kv } }) => {
    const tables = sql
      .exec<{ name: string }>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*'",
      )
      .toArray()
      .map(({ name: table }) => {
        const columns = sql.exec<{ name: string }>(
          `SELECT name FROM pragma_table_info('${table}')`,
        );
        return { table, bytes: sql.exec<{ bytes: number }>(sizeQuery(table, columns)).one().bytes };
      });
    const values = [...kv.list()].map(([key, value]) => ({
      table: `kv ${key}`,
      bytes: serializedBytes(value) + Buffer.byteLength(key),
    }));
    return [...tables, ...values];
  });
}

/** The size of a value in V8's serialization: text takes two bytes a character if any is beyond Latin-1. */
function serializedBytes(value: unknown): number {
  if (typeof value === "string")
    return (/[\u0100-\uffff]/.test(value) ? value.length * 2 : value.length) + 6;
  if (ArrayBuffer.isView(value)) return value.byteLength + 16;
  if (typeof value !== "object" || value === null) return 10;
  return Object.entries(value).reduce(
    (sum, [key, one]) => sum + serializedBytes(key) + serializedBytes(one),
    8,
  );
}

function sizeQuery(table: string, columns: Iterable<{ name: string }>): string {
  const sizes = [...columns].map(({ name }) => `coalesce(octet_length("${name}"), 0)`);
  return `SELECT coalesce(max(${sizes.join(" + ")}), 0) AS bytes FROM "${table}"`;
}

/** Expect that production can store all rows of an object. Returns its largest row. */
export async function expectRowsFit(stub: DurableObjectStub): Promise<number> {
  const sizes = await largestRows(stub);
  expect(sizes.filter(({ bytes }) => bytes > MAX_ROW_BYTES)).toEqual([]);
  return Math.max(0, ...sizes.map(({ bytes }) => bytes));
}

/** Expect that production can store every row of the directory. */
export async function expectDirectoryFits(): Promise<void> {
  const { results: tables } = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*' AND name NOT GLOB 'sqlite_*'",
  ).all<{ name: string }>();
  for (const { name } of tables) {
    const { results: columns } = await env.DB.prepare(
      `SELECT name FROM pragma_table_info('${name}')`,
    ).all<{ name: string }>();
    const row = await env.DB.prepare(sizeQuery(name, columns)).first<{ bytes: number }>();
    expect([name, row?.bytes]).toEqual([name, expect.toSatisfy((bytes) => bytes <= MAX_ROW_BYTES)]);
  }
}
