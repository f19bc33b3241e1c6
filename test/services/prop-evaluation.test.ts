import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { newId } from "#domain/ids.ts";
import { evaluateOptions, evaluateProps } from "#services/prop-evaluation.ts";
import { openContext } from "#worker/bindings.ts";

import { install } from "../support/deploy.ts";

const ENDLESS = `export default {
  name: "Endless", version: "1", run() {},
  props: { list: { type: "string", options: () => new Promise((resolve) => setTimeout(resolve, 60000)) } },
  additionalProps: () => new Promise((resolve) => setTimeout(resolve, 60000)),
};`;

test("an evaluation without a result at its deadline is a timeout, not bad input", async () => {
  const owner = newId("user");
  const [definition, bundleHash] = await install(ENDLESS, owner);
  const component = { definition, bundleHash };
  const query = { owner, component, values: {}, previous: [], deadlineMs: 50 };
  const platform = openContext(env);
  await expect(evaluateOptions(platform, query, { prop: "list" })).rejects.toMatchObject({
    code: "upstream_timeout",
    message: expect.stringContaining("options of list did not finish"),
  });
  await expect(evaluateProps(platform, query)).rejects.toMatchObject({ code: "upstream_timeout" });
});
