import type { signUp } from "./client.ts";

type Client = Awaited<ReturnType<typeof signUp>>;

/** A fresh data store of a user. Returns its path. */
export async function newStore(client: Client, name = "Store"): Promise<string> {
  const { body } = await client.post("/data_stores", { name });
  return `/data_stores/${body.data.id}`;
}
