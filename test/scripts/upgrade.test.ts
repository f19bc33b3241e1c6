import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Webhook } from "standardwebhooks";
import { onTestFinished, expect, test } from "vitest";

import { call, type Summary } from "../../scripts/api.ts";
import { portBecomesFree } from "../../scripts/local/ports.ts";
import { startPlatform } from "../../scripts/platform.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures/releases");

/** What `scripts/release-state.ts` says of the state that it kept. */
type Facts = {
  apiKey: string;
  receiver: string;
  webhook: { id: string; signingSecret: string };
  counter: { id: string; endpoint: string; events: Pick<Summary, "id" | "event">[] };
  slow: { id: string; endpoint: string };
};

type Received = { headers: Record<string, string>; body: string };

const releases = (await readdir(FIXTURES))
  .filter((name) => name.endsWith(".json"))
  .map((name) => name.replace(".json", ""));

/** A platform of today on a copy of what a release left behind, and everything that its webhook receives. */
async function upgraded(release: string) {
  const facts = JSON.parse(await readFile(join(FIXTURES, `${release}.json`), "utf8")) as Facts;
  const stateDir = await mkdtemp(join(tmpdir(), "upgrade-"));
  onTestFinished(() => rm(stateDir, { recursive: true, force: true }));
  execFileSync("tar", ["-xzf", join(FIXTURES, `${release}.tar.gz`), "-C", stateDir]);

  const received = await listen(Number(new URL(facts.receiver).port));
  const platform = await startPlatform({ stateDir });
  onTestFinished(platform.stop);
  const ada = { url: platform.url, apiKey: facts.apiKey };
  return { facts, received, ada, origin: new URL(platform.url).origin };
}

/** Listen where the fixture's webhook points to; a run of these tests beside this one may do so at the moment. */
async function listen(port: number): Promise<Received[]> {
  expect(await portBecomesFree(port, 60_000)).toBe(true);
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const headers = request.headers as Record<string, string>;
      received.push({ headers, body: Buffer.concat(chunks).toString() });
      response.end();
    });
  }).listen(port, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return received;
}

async function trigger(url: string, body: object): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  expect(response.status).toBe(200);
  return JSON.parse((await response.text()) || "null");
}

const bodies = (received: Received[]) =>
  received.map(({ body }) => JSON.parse(body) as { id: number });

test.for(releases)("what release %s kept works on this one", async (release) => {
  const { facts, received, ada, origin } = await upgraded(release);
  const { counter, slow, webhook } = facts;
  const read = () => call<Summary[]>(ada, `/sources/${counter.id}/event_summaries?expand=event`);
  const patient = { timeout: 60_000, interval: 200 };

  // The user's key, the source, and its events with their ids.
  expect(await call<{ id: string }>(ada, `/sources/${counter.id}`)).toMatchObject({
    id: counter.id,
  });
  expect((await read()).map(({ id, event }) => ({ id, event }))).toEqual(counter.events);

  // Dedupe memory and $.service.db: 2 was seen, 3 was not, and the count goes on from three runs.
  await trigger(`${origin}${counter.endpoint}`, { id: 2 });
  expect(await trigger(`${origin}${counter.endpoint}`, { id: 3 })).toEqual({ count: 5 });
  expect((await read()).map(({ event }) => event["id"])).toEqual([3, 2, 1]);

  // What was pending for its webhook arrives, and so does what is new, signed as ever.
  await call(ada, `/webhooks/${webhook.id}/deliveries?limit=10`);
  await expect
    .poll(
      () =>
        bodies(received)
          .map(({ id }) => id)
          .toSorted((a, b) => a - b),
      patient,
    )
    .toEqual([1, 2, 3]);
  for (const { headers, body } of received)
    expect(() => new Webhook(webhook.signingSecret).verify(body, headers)).not.toThrow();

  // An event that was acknowledged, but whose run the end of the old release cut short, is run again.
  await expect
    .poll(() => call<Summary[]>(ada, `/sources/${slow.id}/event_summaries?expand=event`), patient)
    .toMatchObject([{ event: { id: "unfinished" } }]);
});
