// @suites loader, dispatch

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";

import { type Health, HealthMemory, healthOf } from "#services/health.ts";
import { probesOf } from "#worker/health-checks.ts";
import { app } from "#worker/http/app.ts";

const [WRANGLER = ""] = Object.values(
  import.meta.glob("../../wrangler.toml", { query: "?raw", import: "default", eager: true }),
);

const broken = new Proxy(
  {},
  {
    get: () => () => {
      throw new Error("out of order");
    },
  },
);

/** The bindings of wrangler.toml in any environment. Variables, migrations and the version are no bindings. */
const BINDINGS = [
  ...new Set([...WRANGLER.matchAll(/^(?:binding|name) = "([A-Z_]+)"$/gm)].map(([, name]) => name)),
].filter((name) => name !== "VERSION") as (keyof Env)[];

/** Any query to these would be written, sent or counted. */
const UNASKED = new Set<keyof Env>(["EMAIL", "METRICS", "EGRESS_USAGE"]);

const failing = ({ checks }: Health) =>
  Object.entries(checks).filter(([, result]) => result !== "ok");

test("every binding of wrangler.toml is checked, and nothing else", async () => {
  expect(BINDINGS).toContain("DB");
  expect(BINDINGS).toContain("DISPATCH");
  const { healthy, checks } = await healthOf(probesOf(env));
  expect(checks).toEqual(Object.fromEntries(Object.keys(checks).map((name) => [name, "ok"])));
  expect(healthy).toBe(true);
  expect(Object.keys(checks)).toHaveLength(BINDINGS.length);
});

test.for(BINDINGS)(
  "a missing %s is reported apart from the bindings that exist",
  async (binding) => {
    const unbound = { ...env, USER_CODE: "dispatch", [binding]: undefined } as Env;
    expect(failing(await healthOf(probesOf(unbound)))).toEqual([[expect.any(String), "failing"]]);
  },
);

test.for(BINDINGS.filter((name) => !UNASKED.has(name)))(
  "a broken %s is reported apart from the working bindings",
  async (binding) => {
    const health = await healthOf(probesOf({ ...env, [binding]: broken }));
    expect(health.healthy).toBe(false);
    expect(failing(health)).toEqual([[expect.any(String), "failing"]]);
  },
);

test("a namespace that is neither bound nor used is not reported as missing", async () => {
  const { DISPATCH: _, ...rest } = env;
  const { healthy, checks } = await healthOf(probesOf({ ...rest, USER_CODE: "loader" }));
  expect([healthy, checks["dispatch_namespace"]]).toEqual([true, undefined]);
});

test("a health check leaves no state behind", async () => {
  await healthOf(probesOf(env));
  for (const namespace of [env.SOURCES, env.WEBHOOKS, env.WORKFLOWS, env.DATA_STORES, env.APPHOOKS])
    await runInDurableObject(
      namespace.getByName("health") as DurableObjectStub,
      async (_, { storage }) => {
        expect([...(await storage.list())]).toEqual([]);
        expect(await storage.getAlarm()).toBeNull();
      },
    );
});

test("a repeated health check returns the cached report, and checks nothing", async () => {
  const memory = new HealthMemory();
  const health = { healthy: true, checks: {} };
  const check = vi.fn<() => Promise<Health>>(async () => health);
  for (const atMs of [1000, 1001, 5999]) expect(await memory.recall(check, atMs)).toBe(health);
  expect(check).toHaveBeenCalledTimes(1);
  await memory.recall(check, 6000);
  expect(check).toHaveBeenCalledTimes(2);
});

test("during a check, other callers get the previous report for a while", async () => {
  const memory = new HealthMemory();
  const before = { healthy: true, checks: {} };
  await memory.recall(async () => before, 0);
  const { promise, resolve } = Promise.withResolvers<Health>();
  const checking = memory.recall(() => promise, 10_000);
  expect(await memory.recall(() => promise, 12_000)).toBe(before);
  const after = { healthy: false, checks: {} };
  resolve(after);
  expect([await checking, await memory.recall(() => promise, 12_500)]).toEqual([after, after]);
});

test("an unhealthy deployment returns 503 and the failed check, without the reason", async () => {
  const silenced = vi.spyOn(console, "error").mockImplementation(() => {});
  const context = { waitUntil() {}, passThroughOnException() {}, props: {} } as never;
  // The cached report of another test has expired by then.
  const clock = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 60_000);
  const ill = { ...env, CODE: broken, RELEASE: "r1", COMMIT: "5d0e" } as unknown as Env;
  const check = (of: Env) => app.fetch(new Request("http://wellspring.test/health"), of, context);
  const response = await check(ill);
  const body = await response.text();
  expect([response.status, JSON.parse(body)]).toMatchObject([
    503,
    {
      code: "unavailable",
      details: { release: "r1", commit: "5d0e", checks: { code_store: "failing" } },
    },
  ]);
  expect(body).not.toContain("out of order");
  // The cached report for other tests is a healthy one.
  clock.mockReturnValue(Date.now() + 60_000);
  const healthy = await check({ ...env, COMMIT: "5d0e" });
  expect([healthy.status, await healthy.json()]).toMatchObject([200, { commit: "5d0e" }]);
  clock.mockRestore();
  silenced.mockRestore();
});

test("a dependency that times out is silent, and blocks no caller", async () => {
  const never = () => new Promise<void>(() => {});
  const slow = () => env.DB.prepare("SELECT 1").first();
  expect(await healthOf({ never: [never], slow: [slow] }, 100)).toEqual({
    healthy: false,
    checks: { never: "silent", slow: "ok" },
  });
});

test("a deployment of many shards is asked few things at once, and one bad shard shows", async () => {
  let [asked, most] = [0, 0];
  const shard = async () => {
    most = Math.max(most, (asked += 1));
    await env.DB.prepare("SELECT 1").first();
    asked -= 1;
  };
  const shards = Array.from({ length: 40 }, () => shard);
  const bad = () => Promise.reject(new Error("out of order"));
  const silenced = vi.spyOn(console, "error").mockImplementation(() => {});
  expect(await healthOf({ queue: [...shards, bad, ...shards], other: shards })).toEqual({
    healthy: false,
    checks: { queue: "failing", other: "ok" },
  });
  silenced.mockRestore();
  expect(most).toBeLessThanOrEqual(6);
});

test("metrics that the operator has disabled are off, and the platform is healthy", async () => {
  const { METRICS: _, EGRESS_USAGE: __, ...rest } = env;
  const unmetered = { ...rest, METRICS_ENABLED: "false" } as unknown as typeof env;
  const { healthy, checks } = await healthOf(probesOf(unmetered));
  expect(healthy).toBe(true);
  expect(checks).toMatchObject({ metrics: "off", egress_usage: "off" });
});
