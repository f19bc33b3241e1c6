import type { Json } from "#domain/json.ts";

import { operator, type signUp } from "./client.ts";
import { sendJson } from "./deploy.ts";
import { runsCommitted } from "./source-tables.ts";

type Client = Awaited<ReturnType<typeof signUp>>;

type Given = {
  app?: string;
  name?: string;
  external_id?: string;
  expires_at?: number;
  credentials?: Record<string, Json>;
};

/** Connect an account for an owner, as the operator does. Returns its id. */
export async function newAccount(ownerId: string, given: Given = {}): Promise<string> {
  const { status, body } = await operator.post("/accounts", {
    owner_id: ownerId,
    app: "github",
    name: "Ada",
    credentials: { api_key: "sk_ada" },
    ...given,
  });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.data.id;
}

/** Deploy a component with one HTTP interface, and return functions to run it and to read its last event. */
export async function deployed(client: Client, code: string, props: Record<string, Json> = {}) {
  const created = await client.post("/sources", { component_code: code, configured_props: props });
  if (created.status !== 200) throw new Error(JSON.stringify(created.body));
  const { id, configured_props: configured } = created.body.data;
  const run = async (event: Json = {}): Promise<Json> => {
    await sendJson(configured.http.endpoint_url, event);
    await runsCommitted(id);
    return latest("");
  };
  const latest = async (channel: string): Promise<Json> => {
    const path = channel === "" ? "event_summaries?event_name=" : `${channel}/event_summaries?`;
    const { body } = await client.get(`/sources/${id}/${path}&limit=1&expand=event`);
    return body.data[0]?.event ?? null;
  };
  return { id: id as string, configured, run, latest };
}
