import { expect, test } from "vitest";

import { deploy, eventsOf, sendJson } from "../support/deploy.ts";

test("the calls of a group share one copy of their source's values", async () => {
  const source = await deploy(`
    import Harness from "./harness.worker.js";
    const groups = [];
    const { invokeAll } = Harness.prototype;
    Harness.prototype.invokeAll = function (calls, ...rest) {
      groups.push(calls.length > 1 && calls.every(({ instance }) => instance === calls[0].instance));
      return invokeAll.call(this, calls, ...rest);
    };
    export default { props: { http: "$.interface.http" }, run() { this.$emit(groups); } };`);
  // The first event runs alone, and the others gather meanwhile.
  await Promise.all([1, 2, 3, 4].map((n) => sendJson(source.url, { n })));
  const groups = async () => (await eventsOf(source.stub)).flatMap(({ event }) => event);
  await expect.poll(groups).toContain(true);
  expect(await groups()).not.toContain(false);
});
