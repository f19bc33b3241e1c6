import { readFile } from "node:fs/promises";

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
  const errors = () => eventsOf(platform, bad, "$errors");
  let last = 0;
  // Ten events a second: without a pause they would take the time of the code in quarantine.
  const errorsBesideEvent = async () => {
    expect(await send(good, { id: (last += 1) })).toBe(200);
    return errors();
  };
  await expect.poll(errorsBesideEvent, { interval: 100 }).toHaveLength(1);
  // Each run was committed once, for it counts them.
  const newest = async () => (await eventsOf(platform, good))[0];
  await expect.poll(newest).toMatchObject({ id: last, count: last });
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
  const pids = () => sandboxesOf(platform);
  for (const last of [10, 20, 30, 40]) {
    await expect.poll(pids).not.toEqual([]);
    for (const id of ids.slice(last - 10, last))
      expect(await send(source, { id, waitMs: 50 })).toBe(200);
    // Runs take longer than their requests: some are under way, and some wait.
    for (const pid of await pids()) process.kill(pid, "SIGKILL");
  }
  const got = async () => (await eventsOf(platform, source)).map(({ id }) => id).toSorted(byNumber);
  await expect.poll(got).toEqual(ids);
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
  await expect.poll(() => refusals.length).toBeGreaterThan(2);
  expect(refusals[0]).toMatch(/ran too long without yielding.*"overloaded"/s);
});
