import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { deploy, endpointOf, eventsOf } from "../../tools/scripts/api.ts";
import { type RunningPlatform, startPlatform } from "../../tools/scripts/platform.ts";
import { newGate } from "../support/gate.ts";

const SLOW = `export default { name: "Slow", version: "0.0.1", dedupe: "unique",
  props: { http: "$.interface.http" },
  async run({ body }) {
    for (const gate of body.gates) await fetch(gate);
    this.$emit({ id: body.id }, { id: body.id });
  } };`;

const SIZE = "size=96m";

/** Mounts a small private file system, reports it, and holds it until it is killed. */
const HOLD = `mount -t tmpfs -o ${SIZE} tmpfs "$0" && echo mounted && exec sleep infinity`;

const isRoot = process.getuid?.() === 0;

/** A process with a folder on a small private disk. Any user may start it if the system has user namespaces. */
async function holder(folder: string): Promise<ChildProcess | undefined> {
  const child = spawn("unshare", ["--map-root-user", "--mount", "sh", "-c", HOLD, folder], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const mounted = once(child.stdout, "data").then(() => child);
  const failed = Promise.race([once(child, "exit"), once(child, "error")]).then(() => undefined);
  return await Promise.race([mounted, failed.catch(() => undefined)]);
}

/** Whether a small disk is possible: for root, and for others in a user namespace. */
async function canHaveSmallDisk(): Promise<boolean> {
  if (isRoot) return true;
  const child = await holder(tmpdir());
  return child?.kill("SIGKILL") ?? false;
}

/** A folder on a small private file system. */
async function smallDisk(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "full-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  if (isRoot) {
    execFileSync("mount", ["-t", "tmpfs", "-o", SIZE, "tmpfs", folder]);
    onTestFinished(() => void execFileSync("umount", ["--lazy", folder]));
    return folder;
  }
  const child = await holder(folder);
  if (child?.pid === undefined) throw new Error("There is no small disk");
  onTestFinished(() => void child.kill("SIGKILL"));
  return `/proc/${child.pid}/root${folder}`;
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

test.runIf(await canHaveSmallDisk())(
  "a full disk causes a 507, loses no acknowledged event, and recovers once there is space",
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
    const [gate, end] = [await newGate(), await newGate()];
    end.open();
    const gates = [gate.url, end.url];
    const acknowledged = new Set<number>();
    for (const id of [1, 2, 3])
      if ((await post(endpointOf(source), { id, gates })).ok) acknowledged.add(id);
    expect(acknowledged.size).toBe(3);

    await fill(stateDir);
    const refusals: unknown[] = [];
    for (let id = 10; id < 20; id += 1) {
      const answer = await post(endpointOf(source), { id, gates: [], pad: "x".repeat(100_000) });
      if (answer.ok) acknowledged.add(id);
      else refusals.push([answer.status, await answer.json()]);
    }
    expect(refusals.length).toBeGreaterThan(0);
    for (const refusal of refusals) expect(refusal).toEqual([507, FULL]);
    const refused = await api("/webhooks", { url: "https://example.com/hook" });
    expect([refused.status, await refused.json()]).toMatchObject([507, FULL]);
    await expect
      .poll(async () => (await health()).json(), { interval: 500 })
      .toMatchObject({ code: "unavailable", details: { checks: { disk: "failing" } } });
    // The earlier runs end now, and cannot be stored.
    gate.open();
    await expect.poll(end.requests).toBeGreaterThanOrEqual(3);
    // The object answers this one after it has tried.
    if ((await post(endpointOf(source), { id: 98, gates: [] })).ok) acknowledged.add(98);

    await empty(stateDir);
    const patient = { timeout: 60_000, interval: 500 };
    await expect
      .poll(async () => (await post(endpointOf(source), { id: 99, gates: [] })).status, patient)
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
