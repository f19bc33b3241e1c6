import { D1PreparedQuery } from "drizzle-orm/d1";

import { once } from "./once.ts";

type Batched = { results: Record<string, unknown>[] };
type Query = {
  fields?: unknown[];
  mapAllResult: (rows: Batched, isFromBatch?: boolean) => unknown;
};

// D1 returns each row of a batch as an object: of two columns of one name it drops one, and drizzle then
// gives every later column the value of its neighbour. Each file of a runtime evaluates this again.
once("joined batches", () => {
  const query = D1PreparedQuery.prototype as unknown as Query;
  const { mapAllResult } = query;
  query.mapAllResult = function mapNamed(this: Query, rows, isFromBatch) {
    const [first] = isFromBatch ? rows.results : [];
    if (first && this.fields && Object.keys(first).length < this.fields.length)
      throw new Error(`Two columns of a batched query have one name: ${Object.keys(first).join()}`);
    return mapAllResult.call(this, rows, isFromBatch);
  };
  return true;
});
