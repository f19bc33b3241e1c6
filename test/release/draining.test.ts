import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

import { expect, onTestFinished, test } from "vitest";

import { deploy, endpointOf, eventsOf } from "../../tools/scripts/api.ts";
import { startPlatform } from "../../tools/scripts/platform.ts";

/** Responds at once, or when its run is over, after the delay in the request. */
const slow = (isCustom: boolean) => `export default { name: "Slow", version: "0.0.1",
  props: { http: { type: "$.interface.http", customResponse: ${isCustom} } },
  async run({ body }) {
    this.$emit({ id: "began" });
    await new Promise((done) => setTimeout(done, body.ms));
    this.$emit({ id: "ended" });
    ${isCustom ? "this.http.respond({ status: 200, body: { ended: true } });" : ""}
  } };`;

async function newState(): Promise<string> {
  const stateDir = await mkdtemp(join(tmpdir(), "draining-"));
  onTestFinished(() => rm(stateDir, { recursive: true, force: true }));
  return stateDir;
}

const post = (url: string, ms: number) =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ms }),
  });

test.for([{ SANDBOXES: "0" }, { SANDBOXES: "1" }])(
  "with %j, pending requests and runs end before the platform, and no others begin",
  async (variables) => {
    const stateDir = await newState();
    const options = { stateDir, variables: { ...variables, DRAIN_SECONDS: "30" } };
    const platform = await startPlatform(options);
    onTestFinished(platform.kill);
    const [answering, acknowledging] = [
      await deploy(platform, slow(true)),
      await deploy(platform, slow(false)),
    ];
    const { hostname, port } = new URL(platform.url);
    const idle = connect({ host: hostname, port: Number(port) });
    await once(idle, "connect");

    const answer = post(endpointOf(answering), 2000);
    expect((await post(endpointOf(acknowledging), 4000)).status).toBe(200);
    await wait(500);
    const stopped = platform.stop();
    await wait(500);
    // A new connection is refused, and an open one gets a 503.
    const late = connect({ host: hostname, port: Number(port) });
    await expect(once(late, "connect")).rejects.toThrow("ECONNREFUSED");
    idle.write("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const [reply] = (await once(idle, "data")) as [Buffer];
    expect(reply.toString()).toMatch(/^HTTP\/1\.1 503 [^]*"code":"unavailable"/);
    const ended = await answer;
    expect([ended.status, await ended.json()]).toEqual([200, { ended: true }]);
    await stopped;

    // No run is repeated: each ended, and reported it once.
    const next = await startPlatform(options);
    onTestFinished(next.kill);
    await wait(1000);
    for (const source of [answering, acknowledging])
      expect((await eventsOf(next, source)).map(({ event }) => event["id"])).toEqual([
        "ended",
        "began",
      ]);
  },
);

test.for([{ SANDBOXES: "0" }, { SANDBOXES: "1" }])(
  "with %j, pending work ends after Ctrl-C on a terminal, which signals all processes",
  async (variables) => {
    const stateDir = await newState();
    const options = { stateDir, variables: { ...variables, DRAIN_SECONDS: "30" } };
    const platform = await startPlatform(options);
    onTestFinished(platform.kill);
    const source = await deploy(platform, slow(true));
    const answer = post(endpointOf(source), 2000);
    await wait(500);
    process.kill(-platform.pid, "SIGINT");
    const ended = await answer;
    expect([ended.status, await ended.json()]).toEqual([200, { ended: true }]);
  },
);

test("runs that do not end in time are interrupted, and repeated after the next start", async () => {
  const stateDir = await newState();
  const options = { stateDir, variables: { SANDBOXES: "0", DRAIN_SECONDS: "1" } };
  const platform = await startPlatform(options);
  onTestFinished(platform.kill);
  const source = await deploy(platform, slow(false));
  expect((await post(endpointOf(source), 8000)).status).toBe(200);
  await wait(300);
  const beganMs = Date.now();
  await platform.stop();
  expect(Date.now() - beganMs).toBeLessThan(6000);
  const next = await startPlatform(options);
  onTestFinished(next.kill);
  await expect
    .poll(async () => (await eventsOf(next, source)).map(({ event }) => event["id"]), {
      timeout: 30_000,
    })
    .toContain("ended");
});

test("a second signal ends the platform at once", async () => {
  const stateDir = await newState();
  const platform = await startPlatform({
    stateDir,
    variables: { SANDBOXES: "0", DRAIN_SECONDS: "30" },
  });
  onTestFinished(platform.kill);
  const source = await deploy(platform, slow(false));
  expect((await post(endpointOf(source), 20_000)).status).toBe(200);
  await wait(300);
  const stopped = platform.stop();
  await wait(1000);
  const beganMs = Date.now();
  process.kill(platform.pid, "SIGTERM");
  await stopped;
  expect(Date.now() - beganMs).toBeLessThan(2000);
});
