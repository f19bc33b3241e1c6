import { execFileSync } from "node:child_process";
import { mkdtemp, rm, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

import { expect, onTestFinished, test } from "vitest";

import { deploy, endpointOf, eventsOf } from "../../tools/scripts/api.ts";
import { type RunningPlatform, startPlatform } from "../../tools/scripts/platform.ts";

const SLOW = `export default { name: "Slow", version: "0.0.1", dedupe: "unique",
  props: { http: "$.interface.http" },
  async run({ body }) {
    await new Promise((done) => setTimeout(done, body.ms));
    this.$emit({ id: body.id }, { id: body.id });
  } };`;

/** A file system of its own, which only root may mount. */
async function smallDisk(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "full-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=96m", "tmpfs", folder]);
  onTestFinished(async () => {
    execFileSync("umount", ["--lazy", folder]);
    await rm(folder, { recursive: true, force: true });
  });
  return folder;
}

async function fill(folder: string): Promise<void> {
  for (;;) {
    const { bavail, bsize } = await statfs(folder);
    if (bavail === 0) return;
    await writeFile(join(folder, `fill-${bavail}`), Buffer.alloc(bavail * bsize)).catch(() => {});
  }
}

async function empty(folder: string): Promise<void> {
  execFileSync("sh", ["-c", 'rm -f "$0"/fill-*', folder]);
}

const post = (url: string, body: object) =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

const apiOf =
  ({ url, apiKey }: RunningPlatform) =>
  (path: string, body?: object) =>
    fetch(`${url}${path}`, {
      method: body ? "POST" : "GET",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });

const FULL = { code: "insufficient_storage", error: expect.stringContaining("disk") };

test.runIf(process.getuid?.() === 0)(
  "a full disk is answered with 507, loses nothing that was acknowledged, and is no more once there is room",
  async () => {
    const stateDir = await smallDisk();
    const platform = await startPlatform({
      stateDir,
      variables: { SANDBOXES: "0", LOG_LEVEL: "silent" },
    });
    onTestFinished(platform.kill);
    const source = await deploy(platform, SLOW);
    const api = apiOf(platform);
    const health = () => fetch(new URL("/health", platform.url));
    const acknowledged = new Set<number>();
    for (const id of [1, 2, 3])
      if ((await post(endpointOf(source), { id, ms: 3000 })).ok) acknowledged.add(id);
    expect(acknowledged.size).toBe(3);

    await fill(stateDir);
    const refusals: unknown[] = [];
    for (let id = 10; id < 20; id += 1) {
      const answer = await post(endpointOf(source), { id, ms: 0, pad: "x".repeat(100_000) });
      if (answer.ok) acknowledged.add(id);
      else refusals.push([answer.status, await answer.json()]);
    }
    expect(refusals.length).toBeGreaterThan(0);
    for (const refusal of refusals) expect(refusal).toEqual([507, FULL]);
    const refused = await api("/webhooks", { url: "https://example.com/hook" });
    expect([refused.status, await refused.json()]).toMatchObject([507, FULL]);
    await expect
      .poll(async () => (await health()).json(), { timeout: 10_000, interval: 500 })
      .toMatchObject({ code: "unavailable", details: { checks: { disk: "failing" } } });
    // The runs from before end now, and cannot be written down.
    await wait(3000);

    await empty(stateDir);
    const patient = { timeout: 60_000, interval: 500 };
    await expect
      .poll(async () => (await post(endpointOf(source), { id: 99, ms: 0 })).status, patient)
      .toBe(200);
    acknowledged.add(99);
    await expect.poll(async () => (await health()).status, patient).toBe(200);
    const ids = async () =>
      (await eventsOf(platform, source)).map(({ event }) => Number(event["id"]));
    await expect
      .poll(async () => (await ids()).length, patient)
      .toBeGreaterThanOrEqual(acknowledged.size);
    const byNumber = (a: number, b: number) => a - b;
    expect((await ids()).toSorted(byNumber)).toEqual([...acknowledged].toSorted(byNumber));
    expect((await api("/webhooks", { url: "https://example.com/hook" })).status).toBe(200);
  },
);
