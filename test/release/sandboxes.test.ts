import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

import { expect, onTestFinished, test } from "vitest";

import { call, type DeployedSource, deploy, endpointOf } from "../../tools/scripts/api.ts";
import { memoryOf } from "../../tools/scripts/local/workerd.ts";
import { type RunningPlatform, sandboxesOf, startPlatform } from "../../tools/scripts/platform.ts";

/** Does what it is told: loops, computes without yielding, waits, takes memory, or emits at once. */
const OBEDIENT = `const kept = [];
export default {
  name: "Obedient", version: "0.0.1", props: { http: "$.interface.http", db: "$.service.db" },
  async run({ body: { id, loop, computeMs = 0, waitMs = 0, bomb } }) {
    if (loop) for (;;);
    if (bomb) for (;;) kept.push(new Array(1e5).fill({ id }).map((x) => ({ ...x })));
    for (let turn = 0; turn < computeMs * 1e5; turn += 1) Math.sqrt(turn);
    if (waitMs) await new Promise((done) => setTimeout(done, waitMs));
    this.db.set("count", (this.db.get("count") ?? 0) + 1);
    this.$emit({ id, count: this.db.get("count") }, { id });
  },
};`;

async function started(variables: Record<string, string> = {}) {
  const stateDir = await mkdtemp(join(tmpdir(), "contained-"));
  onTestFinished(() => rm(stateDir, { recursive: true, force: true }));
  const platform = await startPlatform({ stateDir, variables: { SANDBOXES: "1", ...variables } });
  onTestFinished(platform.kill);
  return platform;
}

async function send(source: DeployedSource, body: object): Promise<number> {
  const response = await fetch(endpointOf(source), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  return response.status;
}

type Summary = { event: { id?: number; error?: { code: string; message: string } } };

async function eventsOf(
  platform: RunningPlatform,
  { id }: DeployedSource,
  channel = "",
): Promise<Summary["event"][]> {
  const path = `/sources/${id}/event_summaries?expand=event&limit=100&event_name=${channel}`;
  const summaries = await call<Summary[]>(platform, path, undefined, "GET");
  return summaries.map(({ event }) => event);
}

test("code that loops for ever is parked, and others lose nothing", async () => {
  const platform = await started();
  const bad = await deploy(platform, OBEDIENT, "bad");
  const good = await deploy(platform, OBEDIENT, "good");
  await send(good, { id: 0 });

  const sent = await send(bad, { id: 1, loop: true });
  expect(sent).toBe(200);
  const ids = Array.from({ length: 60 }, (_, index) => index + 1);
  for (const id of ids) {
    expect(await send(good, { id })).toBe(200);
    await wait(100);
  }

  const took = async () => (await eventsOf(platform, good)).map(({ id }) => id).toSorted(byNumber);
  await expect.poll(took, { timeout: 30_000 }).toEqual([0, ...ids]);
  const errors = () => eventsOf(platform, bad, "$errors");
  await expect.poll(async () => (await errors()).length, { timeout: 90_000 }).toBe(1);
  const [{ error } = {}] = await errors();
  expect(error?.message).toContain(bad.id);
  expect(error?.message).toContain("ran too long without yielding");
  // The source lives on.
  await send(bad, { id: 2 });
  await expect.poll(async () => (await eventsOf(platform, bad)).length).toBe(1);
});

test("code that computes for longer than a process may be silent succeeds", async () => {
  const platform = await started();
  const source = await deploy(platform, OBEDIENT, "slow");
  expect(await send(source, { id: 1, computeMs: 25_000 })).toBe(200);
  await expect
    .poll(async () => (await eventsOf(platform, source)).map(({ id }) => id), { timeout: 60_000 })
    .toEqual([1]);
  expect(await eventsOf(platform, source, "$errors")).toEqual([]);
});

test("a module that loops as it is evaluated is refused, and the API answers meanwhile", async () => {
  const platform = await started();
  const saving = call(platform, "/components", { component_code: "for (;;);" }).catch(String);
  let slowest = 0;
  const ended = saving.then(() => true);
  while (!(await Promise.race([ended, wait(100, false)]))) {
    const startedMs = performance.now();
    await call(platform, "/users/me", undefined, "GET");
    slowest = Math.max(slowest, performance.now() - startedMs);
  }
  expect(await saving).toContain("ran too long without yielding");
  // Far below the seconds that the module held up what it ran in.
  expect(slowest).toBeLessThan(2000);
});

test("code that takes all memory ends its own process only", async () => {
  const platform = await started({ SANDBOX_MEMORY: "192" });
  const bad = await deploy(platform, OBEDIENT, "bomb");
  const good = await deploy(platform, OBEDIENT, "beside");
  await send(bad, { id: 1, bomb: true });
  for (let id = 1; id <= 20; id += 1) {
    expect(await send(good, { id })).toBe(200);
    await wait(100);
  }
  const told = async () => (await eventsOf(platform, good)).length;
  await expect.poll(told, { timeout: 30_000 }).toBe(20);
  const errors = async () => (await eventsOf(platform, bad, "$errors")).length;
  await expect.poll(errors, { timeout: 90_000 }).toBe(1);
});

test("what runs in a process that is killed runs once more, and once only", async () => {
  const platform = await started();
  const source = await deploy(platform, OBEDIENT, "killed");
  const ids = Array.from({ length: 40 }, (_, index) => index + 1);
  const sending = (async () => {
    for (const id of ids) {
      expect(await send(source, { id, waitMs: 50 })).toBe(200);
      await wait(20);
    }
  })();
  for (let kills = 0; kills < 3; kills += 1) {
    await wait(400);
    for (const pid of await sandboxesOf(platform)) process.kill(pid, "SIGKILL");
  }
  await sending;
  const got = async () => (await eventsOf(platform, source)).map(({ id }) => id).toSorted(byNumber);
  await expect.poll(got, { timeout: 60_000 }).toEqual(ids);
  // Each run was committed once, for it counts them.
  const [last] = await call<{ event: { count: number } }[]>(
    platform,
    `/sources/${source.id}/event_summaries?expand=event&limit=1`,
    undefined,
    "GET",
  );
  expect(last?.event.count).toBe(ids.length);
});

/** Holds megabytes for as long as its isolate lives. */
const holding = (
  objects: number,
  index = 0,
) => `const kept = Array.from({ length: ${objects} }, (_, at) => ({ at }));
export default { name: "Holding ${index}", version: "0.0.1", props: { http: "$.interface.http" },
  async run({ body: { id } }) { await new Promise((done) => setTimeout(done, 300)); this.$emit({ id, kept: kept.length }); } };`;

const MEGABYTE = 2 ** 20;

test("a process with too much memory ends isolates that are idle", async () => {
  const platform = await started({ SANDBOX_MEMORY: "192" });
  const [pid = 0] = await sandboxesOf(platform);
  const sources: DeployedSource[] = [];
  for (let index = 0; index < 12; index += 1)
    sources.push(await deploy(platform, holding(8e5, index), `holding-${index}`));
  // Each takes about 20 MB.
  for (const source of sources) expect(await send(source, { id: 1 })).toBe(200);
  await expect
    .poll(async () => ((await memoryOf(pid)) ?? 0) / MEGABYTE, { timeout: 20_000 })
    .toBeLessThan(192);
  for (const source of sources) {
    expect(await send(source, { id: 2 })).toBe(200);
    const ids = async () => (await eventsOf(platform, source)).map(({ id }) => id);
    await expect.poll(ids, { timeout: 30_000 }).toEqual([2, 1]);
  }
});

test("a process that stays above its memory is replaced without a failed run", async () => {
  const platform = await started({ SANDBOX_MEMORY: "128" });
  const [first = 0] = await sandboxesOf(platform);
  const source = await deploy(platform, holding(6e6), "holding");
  const end = new AbortController();
  let id = 0;
  const sending = (async () => {
    while (!end.signal.aborted) {
      expect(await send(source, { id: (id += 1) })).toBe(200);
      await wait(100);
    }
  })();
  const pids = () => sandboxesOf(platform);
  await expect.poll(pids, { timeout: 60_000, interval: 200 }).not.toContain(first);
  end.abort();
  await sending;
  const ids = async () => (await eventsOf(platform, source)).length;
  await expect.poll(ids, { timeout: 30_000 }).toBe(Math.min(id, 100));
  expect(await eventsOf(platform, source, "$errors")).toEqual([]);
});

function byNumber(a = 0, b = 0): number {
  return a - b;
}
