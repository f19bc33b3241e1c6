import { runInDurableObject } from "cloudflare:test";

import type { signUp } from "./client.ts";

type Client = Awaited<ReturnType<typeof signUp>>;

/** A fresh data store of a user. Returns its path. */
export async function newStore(client: Client, name = "Store"): Promise<string> {
  const { body } = await client.post("/data_stores", { name });
  return `/data_stores/${body.data.id}`;
}

/** The number of stored records, those that have expired included. */
export function storedRecords(stub: DurableObjectStub): Promise<number> {
  return runInDurableObject(
    stub,
    (_, { storage }) =>
      storage.sql.exec<{ n: number }>("SELECT count(*) AS n FROM records").one().n,
  );
}

/** Make the total size of a store this one: a gigabyte of records would take minutes. */
export function setStoredBytes(stub: DurableObjectStub, bytes: number): Promise<void> {
  return runInDurableObject(stub, (_, { storage }) => {
    storage.sql.exec("UPDATE totals SET bytes = ?", bytes);
  });
}
