// @suites dispatch

import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { scriptName } from "#sandbox/script.ts";

import { operator, signUp } from "../support/client.ts";
import { uploaded } from "../support/cloudflare/client.ts";
import { eventsOf, sendJson } from "../support/deploy.ts";
import { dispatchesOf } from "../support/dispatches.ts";
import { code, deployWorkflow, runOnce } from "../support/workflow.ts";

const RELAY = `export default {
  name: "Relay", version: "1.0.0", props: { http: "$.interface.http" },
  run({ body }) { this.$emit(body); },
}`;

async function relayOf(ada: Awaited<ReturnType<typeof signUp>>) {
  const { data } = (await ada.post("/sources", { component_code: RELAY })).body;
  const stub = env.SOURCES.getByName(data.id);
  const { deployment } = JSON.parse((await stub.current()) ?? "");
  const name = await scriptName({ owner: ada.user.id, bundleHash: deployment.bundleHash });
  return { url: data.configured_props.http.endpoint_url as string, stub, name };
}

test.for([
  ["free", { cpuMs: 10_000, subRequests: 200 }],
  ["paid", { cpuMs: 30_000, subRequests: 1000 }],
] as const)(
  "calls, including those of steps, have the limits of a %s plan",
  async ([plan, limits]) => {
    const ada = await signUp(plan);
    const { url, name } = await relayOf(ada);
    await sendJson(url, { n: 1 });
    expect((await dispatchesOf(name)).count).toBeGreaterThan(0);
    expect((await dispatchesOf(name)).limits).toEqual(limits);

    const step = { name: "one", component_code: code(`return "${plan}"`) };
    const flow = await deployWorkflow({ owner: ada, steps: [step] });
    const [current] = await flow.stub.code();
    const script = await scriptName({
      owner: ada.user.id,
      bundleHash: current?.bundleHashes[0] ?? "",
    });
    expect(await uploaded(script)).not.toBeNull();
    expect(await runOnce(flow)).toMatchObject({ state: "succeeded" });
    expect((await dispatchesOf(script)).limits).toEqual(limits);
    await operator.delete(`/workflows/${flow.id}`);
  },
);

test("a deployed source continues when the operator switches to the loader and back", async () => {
  const { url, stub, name } = await relayOf(await signUp());
  await sendJson(url, { n: 1 });
  const { count: first } = await dispatchesOf(name);
  expect(first).toBeGreaterThan(0);

  // As in a release with another environment.
  const release = async (adapter: string) => {
    await evictDurableObject(stub);
    await runInDurableObject(stub, (object) => {
      Object.assign(Reflect.get(object, "env"), { USER_CODE: adapter });
    });
  };
  await release("loader");
  expect((await sendJson(url, { n: 2 })).status).toBe(200);
  expect(await eventsOf(stub)).toMatchObject([{ event: { n: 2 } }, { event: { n: 1 } }]);
  expect((await dispatchesOf(name)).count).toBe(first);

  await release("dispatch");
  expect((await sendJson(url, { n: 3 })).status).toBe(200);
  expect(await eventsOf(stub)).toHaveLength(3);
  expect((await dispatchesOf(name)).count).toBeGreaterThan(first);
});
