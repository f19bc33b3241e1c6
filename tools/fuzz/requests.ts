import * as fc from "fast-check";
import type { Arbitrary } from "fast-check";

import type { Operation, Parameter } from "./document.ts";
import { hostile, objectFor, valueFor } from "./values.ts";

/** A request as data: values known only on sending stay open. */
export type FuzzedRequest = {
  operation: Operation;
  method: string;
  /** The query string of the operation. */
  suffix: string;
  values: Record<string, unknown>;
  body: unknown;
  /** In place of a JSON body. */
  rawBody?: string;
  contentType: string;
  as: "owner" | "stranger" | "nobody" | "fraud";
};

const JSON_TYPE = "application/json";

/** Requests to any operation: over half of them valid by its document, the others not. */
export function requestsTo(operations: readonly Operation[]): Arbitrary<FuzzedRequest> {
  return fc.oneof(
    ...operations.map((operation) => ({
      weight: weightOf(operation),
      arbitrary: anyTo(operation),
    })),
  );
}

/** Deletions are rare enough to leave resources, and creations frequent enough. */
function weightOf({ method, plane }: Operation): number {
  if (plane === "admin") return 1;
  return { GET: 4, POST: 4, PUT: 3, DELETE: 1 }[method] ?? 1;
}

function anyTo(operation: Operation): Arbitrary<FuzzedRequest> {
  return fc.oneof(
    { weight: 12, arbitrary: allowed(operation) },
    { weight: 6, arbitrary: mutated(operation) },
    { weight: 1, arbitrary: malformed(operation) },
  );
}

function allowed(operation: Operation): Arbitrary<FuzzedRequest> {
  const { document, parameters, body } = operation;
  return fc.record({
    operation: fc.constant(operation),
    method: fc.constant(operation.method),
    suffix: fc.constantFrom("", "", "", "/"),
    values: valuesFor(operation, parameters),
    body: body ? objectFor(document, body) : fc.constant(undefined),
    contentType: fc.constantFrom(JSON_TYPE, "application/json; charset=utf-8"),
    as: fc.constantFrom("owner", "owner", "owner", "owner", "owner", "stranger"),
  });
}

/** Always the path and required parameters, and some of the others. */
function valuesFor({ document }: Operation, parameters: readonly Parameter[]) {
  const members = Object.fromEntries(
    parameters.map(({ name, schema }) => [name, valueFor(document, schema, name)]),
  );
  const needed = parameters.filter((one) => one.required || one.in === "path");
  const others = parameters.filter((one) => !needed.includes(one)).map(({ name }) => name);
  return fc
    .tuple(fc.record(members), fc.subarray(others, { maxLength: Math.min(2, others.length) }))
    .map(([values, chosen]) => {
      const names = new Set([...needed.map(({ name }) => name), ...chosen]);
      return Object.fromEntries(Object.entries(values).filter(([name]) => names.has(name)));
    });
}

/** A valid request with arbitrary, missing or extra values. */
function mutated(operation: Operation): Arbitrary<FuzzedRequest> {
  return fc
    .tuple(
      allowed(operation),
      fc.infiniteStream(fc.tuple(fc.nat(3), hostile)),
      fc.dictionary(fc.string({ maxLength: 8 }), hostile, { maxKeys: 1 }),
    )
    .map(([request, stream, extra]) => {
      const change = (value: unknown) => {
        const [choice, other] = stream.next().value ?? [];
        return choice === 0 ? other : value;
      };
      const values = mapValues(request.values, change);
      const body = isObject(request.body)
        ? { ...mapValues(request.body, change), ...extra }
        : request.body;
      return { ...request, values, body };
    });
}

/** Requests that are invalid regardless of the operation. */
function malformed(operation: Operation): Arbitrary<FuzzedRequest> {
  const wrong: Arbitrary<Partial<FuzzedRequest>> = fc.oneof(
    fc.record({ rawBody: fc.constantFrom("{", "[]", "null", '"a"', "\u0000", "{}{}", "\uFEFF{}") }),
    fc.record({ contentType: fc.constantFrom("", "text/plain", "multipart/form-data", "a/b;c") }),
    fc.record({ as: fc.constantFrom("nobody" as const, "fraud" as const) }),
    fc.record({ method: fc.constantFrom("PATCH", "HEAD", "OPTIONS", "PUT", "DELETE", "POST") }),
    fc.record({ suffix: fc.constantFrom("/none", "//", "/%", "/%E0%A4%A", "%00", "/../..") }),
    fc.record({ rawBody: fc.constant(`{"name":"${"x".repeat(5 * 2 ** 20)}"}`) }),
  );
  return fc.tuple(allowed(operation), wrong).map(([request, fault]) => ({ ...request, ...fault }));
}

function mapValues(values: Record<string, unknown>, change: (value: unknown) => unknown) {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
