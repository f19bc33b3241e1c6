import { expect, test } from "vitest";

import { deploy, eventsOf, sendJson } from "../support/deploy.ts";

const HTTP = `props: { http: "$.interface.http", db: "$.service.db" }`;

test("stores a component's events", async () => {
  const { stub, url } = await deploy(
    `export default { ${HTTP}, run(event) { this.$emit({ hello: event.body.name }, { id: 7, summary: "s", ts: 5 }) } }`,
  );
  const response = await sendJson(url, { name: "Ada" });
  expect(response.status).toBe(200);
  expect(await eventsOf(stub)).toMatchObject([
    { channel: "", event: { hello: "Ada" }, meta: { id: "7", summary: "s", ts: 5 } },
  ]);
});

test("a run that throws keeps its earlier emits and db writes, and adds an error", async () => {
  const { stub, url } = await deploy(
    `export default { ${HTTP}, run(event) {
       this.db.set("n", (this.db.get("n") ?? 0) + 1);
       this.$emit(this.db.get("n"));
       throw new TypeError("no");
     } }`,
  );
  await sendJson(url, { a: 1 });
  await sendJson(url, { a: 2 });
  expect((await eventsOf(stub)).map(({ event }) => event)).toEqual([2, 1]);
  expect(await eventsOf(stub, "$errors")).toMatchObject([
    { event: { error: { code: "TypeError", message: "no" }, original_event: { body: { a: 2 } } } },
    { event: { original_event: { body: { a: 1 } } } },
  ]);
});
