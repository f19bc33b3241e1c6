// @suites loader

import { expect, test } from "vitest";

import type { Cause } from "#domain/chains.ts";
import type { NewRun, RunPlan } from "#durable-objects/workflow/contract.ts";
import { StepHost } from "#durable-objects/workflow/host.ts";
import { CallHost } from "#sandbox/call-host.ts";
import { PlatformRequests } from "#sandbox/platform-requests.ts";

function requestsOf(cause: Cause) {
  const sent: Cause[] = [];
  const requests = new PlatformRequests(cause, {
    egress: (of) => {
      sent.push(of);
      return { fetch: async () => new Response("ok"), connect: () => expect.fail("not used") };
    },
    renewToken: async (refused) => `${refused}, renewed`,
  });
  return { requests, sent };
}

test("each request of a call has one more hop and a share of its budget", async () => {
  const { requests, sent } = requestsOf({ hops: 2, depth: 1, budget: 16 });
  const host = new CallHost(requests);
  for (let n = 0; n < 2; n += 1) await host.fetch(new Request("http://wellspring.test/e/x"));
  expect(sent).toEqual([
    { hops: 3, depth: 2, budget: 8 },
    { hops: 3, depth: 2, budget: 2 },
  ]);
  expect(requests.end()).toBe(10);
  await expect(host.fetch(new Request("http://wellspring.test/e/x"))).rejects.toThrow("has ended");
  expect(await host.renewToken("token")).toBeNull();
  expect(sent).toHaveLength(2);
});

test("runs that a step triggers share its budget, despite the isolate's own claims", async () => {
  const { requests } = requestsOf({ hops: 2, depth: 0, budget: 16 });
  const begun: NewRun[] = [];
  const plan = { context: { id: "r", workflow_id: "p_1" }, hops: 2 } as unknown as RunPlan;
  const outlets = {
    respond: async () => {},
    trigger: async (_: string, run: NewRun) => {
      begun.push(run);
      return { ok: true } as const;
    },
  };
  const host = new CallHost(requests, new StepHost(plan, { number: 1, requests }, outlets));
  await host.fetch(new Request("http://wellspring.test/e/x"));
  const trigger: (...given: [string, string, number]) => Promise<unknown> = (...given) =>
    Reflect.apply(Reflect.get(host, "trigger"), host, given);
  await trigger("p_2345678", "{}", 10_000);
  expect(begun).toMatchObject([{ hops: 3, budget: 2 }]);
  expect(requests.end()).toBe(10);
});
