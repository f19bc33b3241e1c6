// @suites loader

import { expect, test } from "vitest";

import { adminDocument } from "#worker/http/admin/router.ts";
import { connectDocument } from "#worker/http/connect/router.ts";
import type { FieldTables } from "#worker/http/field-texts/describe.ts";
import type { FieldTable } from "#worker/http/field-texts/table.ts";
import { ADMIN_FIELDS, CONNECT_FIELDS, V1_FIELDS } from "#worker/http/field-texts/tables.ts";
import { v1Document } from "#worker/http/v1/router.ts";

import {
  type Field,
  fieldsIn,
  hasFields,
  isOpen,
  type OpenApi,
  operationsIn,
  repeatsName,
} from "../support/documented.ts";

type Case = { name: string; document: OpenApi; tables: FieldTables };

const DOCUMENTS: Case[] = [
  { name: "v1 API", document: v1Document() as unknown as OpenApi, tables: V1_FIELDS },
  { name: "operator plane", document: adminDocument() as unknown as OpenApi, tables: ADMIN_FIELDS },
  {
    name: "Connect API",
    document: connectDocument() as unknown as OpenApi,
    tables: CONNECT_FIELDS,
  },
];

/** The fields that a failure shows, below the advice about them. */
const named = (advice: string, fields: readonly Field[]) => ({
  [advice]: fields.map(({ where, name }) => `${where}: ${name}`),
});

test.for(DOCUMENTS)("the $name describes every operation", ({ document }) => {
  const bare = operationsIn(document).filter(
    ({ summary, description }) => !summary || !description || description === summary,
  );
  expect(bare.map(({ operationId }) => operationId)).toEqual([]);
});

test.for(DOCUMENTS)("the $name describes every parameter, header and property", (one) => {
  const fields = fieldsIn(one.document);
  expect(fields.length).toBeGreaterThan(500);
  const bare = fields.filter(({ description }) => !description);
  const advice = "Describe these in src/worker/http/field-texts";
  expect(named(advice, bare)).toEqual(named(advice, []));
});

test.for(DOCUMENTS)("no description in the $name only repeats a name", ({ document }) => {
  const advice = "Describe these beyond their names";
  expect(named(advice, fieldsIn(document).filter(repeatsName))).toEqual(named(advice, []));
});

test.for(DOCUMENTS)(
  "every field of the $name has an example, or has fields with examples",
  (one) => {
    const bare = fieldsIn(one.document).filter(
      ({ schema, isGiven }) => schema.example === undefined && (isGiven || !hasFields(schema)),
    );
    const advice = "Give these an example in the *-examples.ts of src/worker/http/field-texts";
    expect(named(advice, bare)).toEqual(named(advice, []));
  },
);

test.for(DOCUMENTS)(
  "the description of each $name field with any JSON value mentions JSON",
  ({ document }) => {
    const silent = fieldsIn(document).filter(
      ({ schema, description = "" }) => isOpen(schema) && !description.includes("JSON"),
    );
    const advice = "Give these a type, or name the owner of their JSON";
    expect(named(advice, silent)).toEqual(named(advice, []));
  },
);

/** Names of numbers that are times, or spans of time. */
const OF_TIME = /(?:^|_)(?:at|ts|since|timestamp|ms|seconds|ticks|ttl|wait|deadline|latency)$/;

test.for(DOCUMENTS)(
  "the description of each number of time in the $name has its unit",
  ({ document }) => {
    const numbers = fieldsIn(document).filter(({ name, schema }) => {
      const types = new Set<unknown>([Object(schema).type].flat());
      return OF_TIME.test(name) && (types.has("integer") || types.has("number"));
    });
    expect(numbers.length).toBeGreaterThan(5);
    const silent = numbers.filter(
      ({ description = "" }) => !/\b(?:milli)?seconds?\b|\bms\b/i.test(description),
    );
    const advice = "Name the unit of these: seconds or milliseconds";
    expect(named(advice, silent)).toEqual(named(advice, []));
  },
);

test("the tables describe no unused field", () => {
  const used = new Set(
    DOCUMENTS.flatMap(({ document }) => fieldsIn(document).map(({ description }) => description)),
  );
  const entries = DOCUMENTS.flatMap(({ tables }) => entriesOf(tables.texts));
  const stale = entries.filter(([, text]) => !used.has(text)).map(([place]) => place);
  expect([...new Set(stale)]).toEqual([]);
});

test("the tables have no example of an unused field", () => {
  const used = new Set(
    DOCUMENTS.flatMap(({ document }) =>
      fieldsIn(document).map(({ schema }) => JSON.stringify(schema.example)),
    ),
  );
  const entries = DOCUMENTS.flatMap(({ tables }) => entriesOf(tables.examples));
  const stale = entries.filter(([, example]) => !used.has(JSON.stringify(example)));
  expect([...new Set(stale.map(([place]) => place))]).toEqual([]);
});

function entriesOf<T>(table: FieldTable<T>): [string, T][] {
  return Object.entries(table).flatMap(([place, fields]) =>
    Object.entries(fields).map(([path, value]): [string, T] => [`${place}: ${path}`, value]),
  );
}
