// oxlint-disable-next-line wellspring/no-sleep -- The rate of events is the input: an idle isolate would end.
import { setTimeout as wait } from "node:timers/promises";

import { expect, test } from "vitest";

import { type DeployedSource, deploy } from "../../tools/scripts/api.ts";
import { memoryOf } from "../../tools/scripts/local/process-usage.ts";
import { sandboxesOf } from "../../tools/scripts/platform.ts";
import { eventsOf, MEGABYTE, send, started } from "../support/contained.ts";

/** Allocates megabytes for as long as its isolate lives. */
const holding = (
  objects: number,
  index = 0,
) => `const kept = Array.from({ length: ${objects} }, (_, at) => ({ at }));
export default { name: "Holding ${index}", version: "0.0.1", props: { http: "$.interface.http" },
  async run({ body: { id } }) { await new Promise((done) => setTimeout(done, 300)); this.$emit({ id, kept: kept.length }); } };`;

test("a process above its memory limit frees memory, and loses no event", async () => {
  const platform = await started({ SANDBOX_MEMORY: "192" });
  const sources: DeployedSource[] = [];
  for (let index = 0; index < 12; index += 1)
    sources.push(await deploy(platform, holding(8e5, index), `holding-${index}`));
  // Each takes about 20 MB.
  for (const source of sources) expect(await send(source, { id: 1 })).toBe(200);
  // Idle isolates end first. If the process still uses too much memory, it is replaced.
  const megabytes = async (): Promise<number> => {
    const memory = await Promise.all((await sandboxesOf(platform)).map(memoryOf));
    return memory.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0) / MEGABYTE;
  };
  await expect.poll(megabytes).toSatisfy((sum: number) => sum > 0 && sum < 192);
  for (const source of sources) {
    expect(await send(source, { id: 2 })).toBe(200);
    const ids = async () => (await eventsOf(platform, source)).map(({ id }) => id);
    await expect.poll(ids).toEqual([2, 1]);
  }
});

test("a process that stays above its memory limit is replaced without a failed run", async () => {
  const platform = await started({ SANDBOX_MEMORY: "128" });
  const [first = 0] = await sandboxesOf(platform);
  const source = await deploy(platform, holding(6e6), "holding");
  const end = new AbortController();
  let id = 0;
  const sending = (async () => {
    while (!end.signal.aborted) {
      expect(await send(source, { id: (id += 1) })).toBe(200);
      // Ten events a second keep the isolate in use: an idle one would end instead, and more would be refused.
      await wait(100);
    }
  })();
  const pids = () => sandboxesOf(platform);
  await expect.poll(pids, { interval: 200 }).not.toContain(first);
  end.abort();
  await sending;
  const ids = async () => (await eventsOf(platform, source)).length;
  await expect.poll(ids).toBe(Math.min(id, 100));
  expect(await eventsOf(platform, source, "$errors")).toEqual([]);
});

/** Reports its access to the functions that collect garbage and end isolates, beside its runs. */
const REACHING = `export default { name: "Reaching", version: "0.0.1", props: { http: "$.interface.http" },
  async run({ body: { id } }) {
    const { default: Harness } = await import(["./harness", "worker", "js"].join("."));
    const loop = () => { for (;;); };
    const taken = ["collect", "end"].filter((name) => Reflect.set(Harness.prototype, name, loop));
    const isBelow = Reflect.setPrototypeOf(Harness, loop);
    this.$emit({ id, taken, isBelow, collector: typeof globalThis.collectGarbage });
  } };`;

test("a component cannot access the garbage collector or the code beside its calls", async () => {
  const platform = await started();
  const source = await deploy(platform, REACHING, "reaching");
  expect(await send(source, { id: 1 })).toBe(200);
  await expect
    .poll(() => eventsOf(platform, source))
    .toEqual([{ id: 1, taken: [], isBelow: false, collector: "undefined" }]);
});
