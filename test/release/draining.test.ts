import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { deploy, endpointOf, eventsOf } from "../../tools/scripts/api.ts";
import { startPlatform } from "../../tools/scripts/platform.ts";
import { newGate, untilClosed } from "../support/gate.ts";

/** A run may wait for the start of its process. */

/** Responds at once, or when its run is over, after the gate in the request has opened. */
const slow = (isCustom: boolean) => `export default { name: "Slow", version: "0.0.1",
  props: { http: { type: "$.interface.http", customResponse: ${isCustom} } },
  async run({ body }) {
    this.$emit({ id: "began" });
    await fetch(body.gate);
    this.$emit({ id: "ended" });
    ${isCustom ? "this.http.respond({ status: 200, body: { ended: true } });" : ""}
  } };`;

async function newState(): Promise<string> {
  const stateDir = await mkdtemp(join(tmpdir(), "draining-"));
  onTestFinished(() => rm(stateDir, { recursive: true, force: true }));
  return stateDir;
}

type Gate = Awaited<ReturnType<typeof newGate>>;

const post = (url: string, gate: Gate) =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ gate: gate.url }),
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

    const gate = await newGate();
    const answer = post(endpointOf(answering), gate);
    expect((await post(endpointOf(acknowledging), gate)).status).toBe(200);
    await expect.poll(gate.requests).toBe(2);
    // Only now: the runtime closes a connection without a request after 15 s.
    const { hostname, port } = new URL(platform.url);
    const idle = connect({ host: hostname, port: Number(port) });
    await once(idle, "connect");
    const stopped = platform.stop();
    // A new connection is refused, and an open one gets a 503.
    await untilClosed(platform.url);
    idle.write("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const [reply] = (await once(idle, "data")) as [Buffer];
    expect(reply.toString()).toMatch(/^HTTP\/1\.1 503 [^]*"code":"unavailable"/);
    gate.open();
    const ended = await answer;
    expect([ended.status, await ended.json()]).toEqual([200, { ended: true }]);
    await stopped;

    // No run is repeated: each ended, and reported it once.
    const next = await startPlatform(options);
    onTestFinished(next.kill);
    for (const source of [answering, acknowledging]) {
      const { pathname } = new URL(endpointOf(source));
      expect((await post(new URL(pathname, next.url).href, gate)).status).toBe(200);
      const ids = async () => (await eventsOf(next, source)).map(({ event }) => event["id"]);
      await expect.poll(ids).toEqual(["ended", "began", "ended", "began"]);
    }
    expect(gate.requests()).toBe(4);
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
    const gate = await newGate();
    const answer = post(endpointOf(source), gate);
    await expect.poll(gate.requests).toBe(1);
    process.kill(-platform.pid, "SIGINT");
    await untilClosed(platform.url);
    gate.open();
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
  const gate = await newGate();
  expect((await post(endpointOf(source), gate)).status).toBe(200);
  await expect.poll(gate.requests).toBe(1);
  // The run does not end by itself.
  await platform.stop();
  gate.open();
  const next = await startPlatform(options);
  onTestFinished(next.kill);
  await expect
    .poll(async () => (await eventsOf(next, source)).map(({ event }) => event["id"]))
    .toContain("ended");
});

test("a second signal ends the platform at once", async () => {
  const stateDir = await newState();
  const platform = await startPlatform({
    stateDir,
    // More than a test may take.
    variables: { SANDBOXES: "0", DRAIN_SECONDS: "3600" },
  });
  onTestFinished(platform.kill);
  const source = await deploy(platform, slow(false));
  const gate = await newGate();
  expect((await post(endpointOf(source), gate)).status).toBe(200);
  await expect.poll(gate.requests).toBe(1);
  const stopped = platform.stop();
  await untilClosed(platform.url);
  const state = { hasEnded: false };
  void stopped.then(() => (state.hasEnded = true));
  // One that comes too soon counts as the first, forwarded.
  const signalled = () => {
    if (!state.hasEnded) process.kill(platform.pid, "SIGTERM");
    return state.hasEnded;
  };
  await expect.poll(signalled, { interval: 200 }).toBe(true);
});
