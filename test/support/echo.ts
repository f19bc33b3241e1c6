import type { newCaller } from "./api.ts";
import { ok } from "./api.ts";
import { request } from "./client.ts";
import { runsCommitted } from "./source-tables.ts";

type Caller = Awaited<ReturnType<typeof newCaller>>;

/** A source that emits, logs and fails as each event demands. */
export const ECHO = `export default {
  name: "Echo it", version: "0.0.1", key: "echo-it", description: "Says it again",
  props: { http: "$.interface.http" },
  run({ body }) {
    if (body.log) console.log(body.log);
    for (const { event, meta } of body.emits ?? []) this.$emit(event, meta);
    if (body.fail) throw new TypeError(body.fail);
  },
};`;

/** Deploy `ECHO`, or code of that kind, as a source of the caller's. */
export async function deployEcho({ api }: Pick<Caller, "api">, code = ECHO) {
  const { data } = ok(await api.createSource({ body: { component_code: code } }));
  const endpoint = new URL(data.configured_props["http"].endpoint_url).pathname;
  return {
    id: data.id,
    /** Send an event. */
    send: (body: object) => request("POST", endpoint, { body }),
    /** Make it emit. */
    emit: (...emits: { event: unknown; meta?: object }[]) =>
      request("POST", endpoint, { body: { emits } }),
    /** Its events, newest first. */
    events: async (query: object = {}) => {
      await runsCommitted(data.id);
      return ok(await api.listSourceEvents({ id: data.id, limit: 100, ...query })).data;
    },
  };
}
