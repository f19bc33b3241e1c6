import { z } from "zod";

import type { Json } from "./json.ts";
import type { Checked } from "./timer-prop.ts";

const SHAPE = 'must be an object like {"query": "SELECT …", "params": []}';

const SqlValue = z
  .preprocess(
    (given) => (typeof given === "string" ? { query: given } : given),
    z.looseObject(
      {
        query: z.string().exactOptional(),
        value: z.string().exactOptional(),
        params: z.array(z.custom<Json>(), "its params must be a list").default([]),
      },
      SHAPE,
    ),
  )
  .transform(({ query, value, ...rest }) => ({
    ...rest,
    ...(value !== undefined && { value }),
    query: query ?? value ?? "",
  }))
  .refine(({ query }) => query.trim() !== "", SHAPE);

/**
 * Check the value of an `sql` prop and convert it to the form that components pass to their app's
 * `executeQueryAdapter`: a query with its parameters. A query alone may be given as text, or as `value`.
 */
export function checkSql(given: Json): Checked {
  const parsed = SqlValue.safeParse(given);
  if (!parsed.success) return { problem: parsed.error.issues[0]?.message ?? SHAPE };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a value that was read from JSON is JSON.
  return { value: parsed.data as Json };
}
