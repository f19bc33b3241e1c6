// @suites loader

import { expect, test } from "vitest";

import type { Id } from "#domain/ids.ts";

import { forgetSource, keptOf, restore } from "../support/backup.ts";
import { signUp } from "../support/client.ts";
import { sendJson } from "../support/deploy.ts";
import { runsCommitted } from "../support/source-tables.ts";

test.for([
  ["unique", [1, 2], [2, 3, 1], [3]],
  ["greatest", [1, 2], [2, 3, 1], [3]],
] as const)(
  "restores the dedupe ids of a source (%s): it emits nothing again",
  async ([strategy, before, after, emitted]) => {
    const ada = await signUp();
    const component_code = `export default { name: "Kept", version: "0.0.1", dedupe: "${strategy}",
      props: { http: "$.interface.http" },
      run({ body }) { for (const id of body.ids) this.$emit({ id }, { id }); } };`;
    const { data } = (await ada.post("/sources", { component_code })).body;
    const id: Id<"source"> = data.id;
    const url: string = data.configured_props.http.endpoint_url;
    await sendJson(url, { ids: [...before] });
    await runsCommitted(id);
    const kept = await keptOf("sources", id);
    for (let restores = 0; restores < 2; restores += 1) {
      const again = restores === 0 ? kept : await keptOf("sources", id);
      await forgetSource(id);
      expect(await restore("sources", again)).toMatchObject({ restored: 1 });
    }
    await sendJson(url, { ids: [...after] });
    const events = async () =>
      (await ada.get(`/sources/${id}/event_summaries?expand=event`)).body.data.map(
        (summary: { event: { id: number } }) => summary.event.id,
      );
    await expect.poll(events).toEqual(emitted);
  },
);
