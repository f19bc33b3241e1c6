import { readFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";

import { expect, onTestFinished, test } from "vitest";

import { call, deploy } from "../../tools/scripts/api.ts";
import { sandboxesOf } from "../../tools/scripts/platform.ts";
import { eventsOf, samplesOf, send, started } from "../support/contained.ts";
import { byNumber, OBEDIENT } from "../support/obedient.ts";

test("code that allocates all memory ends its own process only", async () => {
  const platform = await started({ SANDBOX_MEMORY: "192" });
  const bad = await deploy(platform, OBEDIENT, "bomb");
  const good = await deploy(platform, OBEDIENT, "beside");
  await send(bad, { id: 1, bomb: true });
  for (let id = 1; id <= 20; id += 1) {
    expect(await send(good, { id })).toBe(200);
    await wait(100);
  }
  const eventCount = async () => (await eventsOf(platform, good)).length;
  await expect.poll(eventCount, { timeout: 30_000 }).toBe(20);
  const errors = async () => (await eventsOf(platform, bad, "$errors")).length;
  await expect.poll(errors, { timeout: 240_000 }).toBe(1);
  // In quarantine, before it took as much as other processes may; a busy machine may end it by its time first.
  const samples = await samplesOf(platform);
  const endsOf = (lane: string) => samples[`ends_total{process="${lane}",reason="memory"}`] ?? 0;
  expect(endsOf("trial") + endsOf("confined")).toBeGreaterThan(0);
});

test("a run in a killed process is repeated exactly once", async () => {
  const platform = await started();
  const source = await deploy(platform, OBEDIENT, "killed");
  const [first] = await sandboxesOf(platform);
  expect(await readFile(`/proc/${first}/environ`, "utf8")).not.toMatch(/TOKEN|KEY|SECRET/);
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

test("an owner whose module loops may not save it again more than a few times at once", async () => {
  const platform = await started();
  const refusals: string[] = [];
  const save = async (): Promise<void> => {
    const error = await call(platform, "/components", { component_code: "for (;;);" }).catch(
      String,
    );
    if (String(error).includes("429")) refusals.push(String(error));
  };
  const saving = setInterval(() => void save(), 1000);
  onTestFinished(() => clearInterval(saving));
  await expect.poll(() => refusals.length, { timeout: 240_000 }).toBeGreaterThan(2);
  expect(refusals[0]).toMatch(/ran too long without yielding.*"overloaded"/s);
});
