import { expect, test } from "vitest";

import { deploy, eventsOf, send } from "../support/deploy.ts";
import { receiveInGroups } from "../support/groups.ts";
import { newReceiver } from "../support/webhook.ts";

/** Code of a component: an import of the runtime's module, requests for several seconds, and two marks for comparison. */
const WORKERS = `const workers = () => import("cloudflare:" + "workers");
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const goOn = async (url) => { for (let n = 0; n < 100; n += 1) { await pause(20); await fetch(url, { method: "POST" }); } };
  const mark = async (url) => { for (let n = 0; n < 2; n += 1) { await pause(100); await fetch(url + "?mark", { method: "POST" }); } };`;

/**
 * The requests of work that has not ended. A later run in the same isolate sends two marks, between which each work would
 * send several. Requests in flight at the end of a run may still arrive before the first one.
 */
async function lateRequests(received: () => Promise<{ query: string }[]>): Promise<object[]> {
  const isMark = ({ query }: { query: string }) => query === "mark";
  await expect.poll(async () => (await received()).filter(isMark)).toHaveLength(2);
  const all = await received();
  return all.slice(all.findIndex(isMark)).filter((one) => !isMark(one));
}

test.for([
  ["of the module", "(await workers()).waitUntil"],
  [
    "of an entrypoint of its own",
    "((await workers()).WorkerEntrypoint.prototype.waitUntil ?? (await workers()).waitUntil)",
  ],
] as const)("waitUntil %s does not extend work beyond its call", async ([, waitUntil]) => {
  const { url: target, received } = await newReceiver();
  const { stub, url } = await deploy(`${WORKERS} export default {
    props: { http: "$.interface.http" },
    async run({ query }) {
      if (query.as === "mark") return mark("${target}");
      (${waitUntil})(goOn("${target}")); await pause(50); this.$emit("ended");
    },
  }`);
  await send(url);
  expect((await eventsOf(stub)).map(({ event }) => event)).toEqual(["ended"]);
  await send(`${url}?as=mark`);
  expect(await lateRequests(received)).toEqual([]);
});

test("components have no access to runtime functions that extend work beyond a call", async () => {
  const { url: target, received } = await newReceiver();
  const { stub, url } = await deploy(`${WORKERS}
  import { AsyncLocalStorage } from "node:async_hooks";
  const outside = AsyncLocalStorage.snapshot();
  export default {
    props: { http: "$.interface.http" },
    async run({ query }) {
      if (query.as === "mark") return mark("${target}");
      const { endTap } = await import(["./runtime-tap", "worker", "js"].join("."));
      const caught = endTap();
      caught?.waitUntil(outside(() => goOn("${target}")));
      this.$emit(typeof caught);
    },
  }`);
  await send(url);
  expect((await eventsOf(stub)).map(({ event }) => event)).toEqual(["undefined"]);
  await send(`${url}?as=mark`);
  expect(await lateRequests(received)).toEqual([]);
});

test("no work continues after its source was deleted", async () => {
  const { url: target, received } = await newReceiver();
  const code = `${WORKERS} export default {
    props: { http: "$.interface.http" },
    async run({ query }) {
      if (query.as === "mark") return mark("${target}");
      (await workers()).waitUntil(goOn("${target}"));
    },
  }`;
  const { stub, url, deployment } = await deploy(code);
  // Sources of one owner share the isolate of this code.
  const other = await deploy(code, { owner: deployment.ownerId });
  await send(url);
  await stub.remove();
  await send(`${other.url}?as=mark`);
  expect(await lateRequests(received)).toEqual([]);
});

test.for([
  ["an interval", `setInterval(() => fetch(target, { method: "POST" }), 20);`],
  ["a floating promise", `goOn(target);`],
  [
    "a floating promise that waits without timers",
    `(async () => { for (let n = 0; n < 100; n += 1) { await scheduler.wait(20); await fetch(target, { method: "POST" }); } })();`,
  ],
] as const)("%s ends with its run, even if others of its group continue", async ([, work]) => {
  const { url: target, received } = await newReceiver();
  const gate = await newReceiver({ status: 200, isHeld: true });
  const { stub } = await deploy(`${WORKERS} const target = "${target}";
  export default {
    async run({ as }) {
      if (as === "first") return void (await fetch("${gate.url}", { method: "POST" }));
      if (as === "last") { await mark(target); return this.$emit("last"); }
      ${work}
      this.$emit("ended");
    },
  }`);
  await receiveInGroups(stub, gate.received, [["first"], ["work", "last"]]);
  expect(await lateRequests(received)).toEqual([]);
  await gate.release();
  await expect.poll(async () => (await eventsOf(stub)).length).toBe(2);
});

test("abortIsolate() ends only its own run, with an error", async () => {
  const { stub, url } = await deploy(`${WORKERS} let count = 0;
  export default {
    props: { http: "$.interface.http" },
    async run({ query }) {
      count += 1;
      this.$emit(count);
      if (query.slow) return pause(60);
      if (query.caught) try { (await workers()).abortIsolate("caught"); } catch {}
      if (query.thrown) (await workers()).abortIsolate();
    },
  }`);
  const slow = send(`${url}?slow=1`);
  await send(`${url}?caught=1`);
  await send(`${url}?thrown=1`);
  await slow;
  await send(url);
  // The isolate still counts.
  const emitted = async () =>
    (await eventsOf(stub)).map(({ event }) => Number(event)).toSorted((a, b) => a - b);
  await expect.poll(emitted).toEqual([1, 2, 3, 4]);
  const errors = (await eventsOf(stub, "$errors")).map(({ event }) => event);
  expect(errors).toHaveLength(2);
  expect(errors).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        error: expect.objectContaining({
          code: "IsolateAborted",
          message: "abortIsolate(): caught",
        }),
      }),
      expect.objectContaining({
        error: expect.objectContaining({ message: "The run called abortIsolate()" }),
      }),
    ]),
  );
});

test("the module exposes no entrypoint and no binding", async () => {
  const { stub, url } = await deploy(`${WORKERS} export default {
    props: { http: "$.interface.http" },
    async run() {
      const { env, exports } = await workers();
      this.$emit([
        Object.keys(env), Object.keys(exports ?? {}), typeof exports?.default,
      ]);
    },
  }`);
  await send(url);
  expect((await eventsOf(stub))[0]?.event).toEqual([[], [], "undefined"]);
});
