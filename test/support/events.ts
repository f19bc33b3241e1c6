import { request, type signUp } from "./client.ts";
import { runsCommitted } from "./source-tables.ts";

/** The code of a source that emits each posted body. */
const CODE = `export default {
  name: "Orders", version: "1",
  props: { http: "$.interface.http" },
  run({ body }) { for (const event of body) this.$emit(event); },
};`;

/** A source that emits each posted body. */
export async function ordersOf(ada: Awaited<ReturnType<typeof signUp>>, query = "") {
  const { data } = (await ada.post(`/sources${query}`, { component_code: CODE })).body;
  const endpoint = data.configured_props.http.endpoint_url.slice("http://wellspring.test".length);
  return {
    id: data.id as string,
    emit: async (...events: unknown[]) => {
      const response = await request("POST", endpoint, { body: events });
      await runsCommitted(data.id);
      return response;
    },
  };
}
