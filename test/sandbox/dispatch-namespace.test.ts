// @suites loader

import { env, exports } from "cloudflare:workers";
import { expect, test, vi } from "vitest";

import { newId, newToken, type OwnerId } from "#domain/ids.ts";
import { openCodeStore } from "#sandbox/code-store.ts";
import { DispatchedCode, type Home } from "#sandbox/dispatch-namespace.ts";
import { openUserCode } from "#sandbox/open.ts";
import { scriptName } from "#sandbox/script.ts";
import type { Call, UserCode } from "#sandbox/user-code.ts";
import { loadUserCode } from "#sandbox/worker-loader.ts";

import { uploaded } from "../support/cloudflare/client.ts";
import { oneModule } from "../support/deploy.ts";

const CODE = `export default {
  name: "x", version: "0.0.1", type: "source", props: {}, run(event) { this.$emit(event) },
}`;

const keeper = env.SCRIPTS.getByName(env.DISPATCH_NAMESPACE);

const CALL: Call = {
  kind: "run",
  event: `{"a":1}`,
  deadlineMs: 30_000,
  runId: "r",
  instance: { sourceId: "dc_x", props: "{}", endpoints: {}, db: {}, additional: "" },
};

async function newCode() {
  const key = { owner: newId("user"), bundleHash: newToken() };
  await openCodeStore(env.CODE).putBundle(oneModule(key.bundleHash, CODE));
  const egress = exports.Egress({ props: { owner: key.owner } });
  const loaded = vi.fn<() => UserCode>(() =>
    loadUserCode(env, { ...key, egress }, async () => oneModule(key.bundleHash, CODE)),
  );
  return { key, loaded };
}

function namespace(): DispatchNamespace {
  if (!env.DISPATCH) throw new Error("The tests have a dispatch namespace");
  return env.DISPATCH;
}

async function emittedBy(code: UserCode): Promise<string[]> {
  const { emitted, failure } = await code.invoke(CALL);
  expect(failure).toBeUndefined();
  return emitted.map(({ payload }) => payload);
}

test("an uploaded script runs with its owner's plan and name", async () => {
  const { key, loaded } = await newCode();
  await keeper.provide(key);
  const get = vi.fn<DispatchNamespace["get"]>((...given) => namespace().get(...given));
  const code = new DispatchedCode({
    namespace: { get },
    key,
    plan: "free",
    provide: () => keeper.provide(key),
    loaded,
  });
  expect(await emittedBy(code)).toEqual([`{"a":1}`]);
  expect(loaded).not.toHaveBeenCalled();
  expect(get).toHaveBeenCalledWith(
    await scriptName(key),
    {},
    { limits: { cpuMs: 10_000, subRequests: 200 }, outbound: { OWNER: key.owner } },
  );
});

test.for([
  ["free", { cpuMs: 30_000, subRequests: 600 }],
  ["paid", { cpuMs: 90_000, subRequests: 3000 }],
] as const)(
  "a call for three events has the limits of three, on the plan %s",
  async ([plan, limits]) => {
    const { key, loaded } = await newCode();
    await keeper.provide(key);
    const get = vi.fn<DispatchNamespace["get"]>((...given) => namespace().get(...given));
    const provide = () => keeper.provide(key);
    const code = new DispatchedCode({ namespace: { get }, key, plan, provide, loaded });
    const sink = {
      done: async () => {},
      fetch: async () => new Response(),
      renewToken: async () => null,
    };
    await code.invokeAll([CALL, CALL, CALL], false, sink);
    expect(get).toHaveBeenLastCalledWith(
      await scriptName(key),
      {},
      { limits, outbound: { OWNER: key.owner } },
    );
  },
);

test("the loader runs the code of a missing script, which is requested once", async () => {
  const { key, loaded } = await newCode();
  const arrival = Promise.withResolvers<void>();
  const provide = vi.fn<() => Promise<Home>>(async () => {
    await arrival.promise;
    return keeper.provide(key);
  });
  const get = vi.fn<DispatchNamespace["get"]>((...given) => namespace().get(...given));
  const code = new DispatchedCode({ namespace: { get }, key, provide, loaded });

  const answers = await Promise.all([emittedBy(code), emittedBy(code), emittedBy(code)]);
  expect(answers.flat()).toHaveLength(3);
  expect(provide).toHaveBeenCalledTimes(1);
  expect(loaded).toHaveBeenCalledTimes(1);

  arrival.resolve();
  const before = get.mock.calls.length;
  await vi.waitFor(async () => {
    await emittedBy(code);
    expect(get.mock.calls.length).toBeGreaterThan(before);
  }, 15_000);
  expect(provide).toHaveBeenCalledTimes(1);
});

test.for<[string, () => Promise<Home>]>([
  ["failed", async () => ({ kind: "failed", message: "outage", retryAfterMs: 60_000 })],
  ["belongs to the loader", async () => ({ kind: "loader" })],
  ["could not be requested", () => Promise.reject(new Error("The keeper is away"))],
])("a script that %s loses no event", async ([, answer]) => {
  const { key, loaded } = await newCode();
  const provide = vi.fn<() => Promise<Home>>(answer);
  const code = new DispatchedCode({ namespace: namespace(), key, provide, loaded });
  for (let run = 0; run < 5; run += 1) expect(await emittedBy(code)).toEqual([`{"a":1}`]);
  expect(provide).toHaveBeenCalledTimes(1);
});

test("an error of the script itself is not retried elsewhere", async () => {
  const { key, loaded } = await newCode();
  const broken = { get: () => ({ invoke: () => Promise.reject(new Error("killed")) }) };
  const code = new DispatchedCode({
    namespace: broken as unknown as DispatchNamespace,
    key,
    provide: () => keeper.provide(key),
    loaded,
  });
  await expect(code.invoke(CALL)).rejects.toThrow("killed");
  expect(loaded).not.toHaveBeenCalled();
});

test("an operator switches from the loader to scripts and back without new deployments", async () => {
  const { key } = await newCode();
  const means = {
    egress: (owner: OwnerId) => exports.Egress({ props: { owner } }),
    provide: vi.fn<typeof keeper.provide>((request) => keeper.provide(request)),
  };
  const openAs = (USER_CODE: string) =>
    openUserCode({ ...env, USER_CODE }, means, { ...key, ownerId: key.owner });

  expect(await emittedBy(openAs("loader"))).toHaveLength(1);
  const name = await scriptName(key);
  expect(await uploaded(name)).toBeNull();

  expect(await emittedBy(openAs("dispatch"))).toHaveLength(1);
  await vi.waitFor(async () => expect(await uploaded(name)).not.toBeNull(), 15_000);
  expect(await emittedBy(openAs("dispatch"))).toHaveLength(1);

  expect(await emittedBy(openAs("loader"))).toHaveLength(1);
  expect(means.provide).toHaveBeenCalledTimes(1);
});
