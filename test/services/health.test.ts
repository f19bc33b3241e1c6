import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { probesOf } from "../../src/probes.ts";
import { healthOf } from "../../src/services/health.ts";

const broken = new Proxy(
  {},
  {
    get: () => () => {
      throw new Error("out of order");
    },
  },
);

test("every binding is asked, and answers", async () => {
  expect(await healthOf(probesOf(env))).toEqual({
    healthy: true,
    checks: {
      database: "ok",
      code_store: "ok",
      queue: "ok",
      sources: "ok",
      webhooks: "ok",
      workflows: "ok",
      data_stores: "ok",
      user_code: "ok",
    },
  });
});

test.for([
  ["DB", "database"],
  ["CODE", "code_store"],
  ["EMISSIONS", "queue"],
  ["SOURCES", "sources"],
  ["WEBHOOKS", "webhooks"],
  ["WORKFLOWS", "workflows"],
  ["DATA_STORES", "data_stores"],
  ["LOADER", "user_code"],
] as const)("a broken %s is told from what works", async ([binding, check]) => {
  const { healthy, checks } = await healthOf(probesOf({ ...env, [binding]: broken }));
  expect(healthy).toBe(false);
  const failing = Object.entries(checks).filter(([, verdict]) => verdict !== "ok");
  expect(failing).toEqual([[check, "failing"]]);
});

test("what does not answer in time is silent, and holds nobody up", async () => {
  const never = () => new Promise<void>(() => {});
  const slow = async () => scheduler.wait(5);
  expect(await healthOf({ never, slow }, 100)).toEqual({
    healthy: false,
    checks: { never: "silent", slow: "ok" },
  });
});
