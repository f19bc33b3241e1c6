// @suites release

import { exports } from "cloudflare:workers";
import { expect, test } from "vitest";

import { FIXTURES } from "../fixtures/components/components.ts";
import { signUp } from "../support/client.ts";

test.for(FIXTURES)("$title is saved unmodified", { timeout: 60_000 }, async (fixture) => {
  const { entry, files, name, props } = fixture;
  const ada = await signUp();
  const saved = await ada.post("/components", { component_files: files, entry });
  expect(saved.body).toMatchObject({ data: { name, code: files[entry] } });
  const shown = saved.body.data.configurable_props as { name: string }[];
  expect(shown.map((prop) => prop.name)).toEqual(props);
});

test("a source over packages runs", { timeout: 60_000 }, async () => {
  const ada = await signUp();
  const component_code = `
    import { v4, validate } from "uuid";
    import _ from "lodash";
    export default {
      name: "Ids", version: "1", props: { http: "$.interface.http" },
      run({ body }) { this.$emit({ valid: validate(v4()), name: _.camelCase(body.name) }); },
    };`;
  const { body } = await ada.post("/sources", { component_code });
  expect(body).toMatchObject({ data: { id: expect.any(String) } });
  const { id, endpoint_url } = body.data as { id: string; endpoint_url?: string };
  const endpoint = endpoint_url ?? body.data.configured_props.http.endpoint_url;
  await exports.default.fetch(endpoint, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "new report" }),
  });
  await expect
    .poll(async () => (await ada.get(`/sources/${id}/event_summaries?expand=event`)).body.data, {
      timeout: 20_000,
    })
    .toMatchObject([{ event: { valid: true, name: "newReport" } }]);
});
