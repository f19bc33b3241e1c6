import { expect, test } from "vitest";

import { call, deploy, endpointOf } from "../../tools/scripts/api.ts";
import { bundlerOf } from "../../tools/scripts/platform.ts";
import { eventsOf, send, started } from "../support/contained.ts";
import { OBEDIENT } from "../support/obedient.ts";

/** Code that the compiler takes a minute for. */
const HEAVY = `${"var x=[1,2,3];".repeat(33_000)}export default { name: "H", version: "1", run() {} };`;

test("events pass while the compiler computes, and a killed compiler fails no deploy", async () => {
  const platform = await started();
  const source = await deploy(platform, OBEDIENT, "beside");
  const building = call(platform, "/sources", { component_code: HEAVY }).catch(String);
  const first = await bundlerOf(platform);
  for (const id of [1, 2, 3]) expect(await send(source, { id })).toBe(200);
  expect(first).toBeDefined();
  process.kill(first ?? 0, "SIGKILL");
  const other = await deploy(platform, OBEDIENT, "after");
  expect(await send(other, { id: 4 })).toBe(200);
  expect(await bundlerOf(platform)).not.toBe(first);
  await expect.poll(async () => (await eventsOf(platform, source)).length).toBe(3);
  await building;
});

test("packages and stored files pass between the bundler's process and the platform", async () => {
  const platform = await started();
  const code = `import bytes from "bytes";
    export default { name: "B", version: "1", props: { http: { type: "$.interface.http", customResponse: true } },
      run() { this.http.respond({ status: 200, body: bytes(1024) }); } };`;
  for (const name of ["first", "again"]) {
    const source = await deploy(platform, code, name);
    expect(await (await fetch(endpointOf(source))).text()).toBe("1KB");
  }
});
