import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Webhook } from "standardwebhooks";
import { onTestFinished, expect, test } from "vitest";

import { call, type Summary } from "../../tools/scripts/api.ts";
import { portBecomesFree } from "../../tools/scripts/local/ports.ts";
import { ownRelease, releaseOf } from "../../tools/scripts/local/state-release.ts";
import { startPlatform } from "../../tools/scripts/platform.ts";
import type { Tenant } from "../../tools/scripts/release/tenant.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures/releases");

/** The facts that `tools/scripts/release-state.ts` recorded about the stored state. */
type Facts = {
  apiKey: string;
  receiver: string;
  webhook: { id: string; signingSecret: string };
  counter: { id: string; endpoint: string; events: Pick<Summary, "id" | "event">[] };
  slow: { id: string; endpoint: string };
  tenant?: Tenant;
};

type Received = { headers: Record<string, string>; body: string };

const releases = (await readdir(FIXTURES))
  .filter((name) => name.endsWith(".json"))
  .map((name) => name.replace(".json", ""));

/** A current platform on a copy of a release's state, and everything that its webhook receives. */
async function upgraded(release: string) {
  const facts = JSON.parse(await readFile(join(FIXTURES, `${release}.json`), "utf8")) as Facts;
  const stateDir = await mkdtemp(join(tmpdir(), "upgrade-"));
  onTestFinished(() => rm(stateDir, { recursive: true, force: true }));
  execFileSync("tar", ["-xzf", join(FIXTURES, `${release}.tar.gz`), "-C", stateDir]);

  const received = await listen(Number(new URL(facts.receiver).port));
  const platform = await startPlatform({ stateDir });
  expect(releaseOf(stateDir)).toEqual(await ownRelease());
  onTestFinished(platform.stop);
  const ada = { url: platform.url, apiKey: facts.apiKey };
  return { facts, received, ada, origin: new URL(platform.url).origin };
}

/** Listen at the target of the fixture's webhook; another run of these tests may do so at the moment. */
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

test.for(releases)("the state of release %s works on this one", async (release) => {
  const { facts, received, ada, origin } = await upgraded(release);
  const { counter, slow, webhook } = facts;
  const read = () => call<Summary[]>(ada, `/sources/${counter.id}/event_summaries?expand=event`);
  const patient = { timeout: 60_000, interval: 200 };

  // The user's key, the source, and its events with their ids.
  expect(await call<{ id: string }>(ada, `/sources/${counter.id}`)).toMatchObject({
    id: counter.id,
  });
  expect((await read()).map(({ id, event }) => ({ id, event }))).toEqual(counter.events);

  // Dedupe memory and $.service.db: 2 was seen, 3 was not, and the count continues from three runs.
  await trigger(`${origin}${counter.endpoint}`, { id: 2 });
  expect(await trigger(`${origin}${counter.endpoint}`, { id: 3 })).toEqual({ count: 5 });
  expect((await read()).map(({ event }) => event["id"])).toEqual([3, 2, 1]);

  // Pending deliveries of its webhook arrive, and so do new ones, with valid signatures.
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

  // An acknowledged event is run again if the end of the old release interrupted its run.
  await expect
    .poll(() => call<Summary[]>(ada, `/sources/${slow.id}/event_summaries?expand=event`), patient)
    .toMatchObject([{ event: { id: "unfinished" } }]);
});

const factsOf = async (release: string): Promise<Facts> =>
  JSON.parse(await readFile(join(FIXTURES, `${release}.json`), "utf8")) as Facts;

const settled = [];
for (const release of releases) {
  const { tenant } = await factsOf(release);
  if (tenant) settled.push({ release, tenant });
}

type RunWithSteps = { state: string; steps: { name: string; exports: Record<string, unknown> }[] };

test.for(settled)(
  "all resources of a tenant of release $release work on this one",
  async (known) => {
    const { keeper, store, listener, timer, workflow, workspace } = known.tenant;
    const { ada, origin } = await upgraded(known.release);
    const patient = { timeout: 60_000, interval: 200 };
    const eventsOf = (id: string) =>
      call<Summary[]>(ada, `/sources/${id}/event_summaries?expand=event&limit=100`);
    const ticksBefore = (await eventsOf(timer)).length;

    // Sealed secrets, an account's credentials and a data store, for a source of a workspace and its listener.
    expect(await trigger(`${origin}${keeper.endpoint}`, {})).toEqual(keeper.values);
    expect(keeper.values).toEqual({
      token: "of the source",
      key: "of the account",
      stored: { n: 1 },
    });
    await expect.poll(async () => (await eventsOf(listener)).length, patient).toBe(2);
    expect((await eventsOf(keeper.id)).map(({ event }) => event)).toEqual([
      keeper.values,
      keeper.values,
    ]);
    const listed = await call<{ id: string }[]>(ada, `/workspaces/${workspace}/sources`);
    expect(listed.map(({ id }) => id)).toEqual([listener, keeper.id]);
    expect(await call(ada, `/data_stores/${store.id}/records/a`)).toMatchObject({
      value: store.value,
    });
    expect(await call(ada, "/components/registry/kept-in-registry")).toMatchObject({
      version: "1.0.0",
    });

    // A run that waited on the old release ends on this one, and new ones begin.
    const runOf = (id: string) => call<RunWithSteps>(ada, `/workflows/${workflow.id}/runs/${id}`);
    expect(await runOf(workflow.run)).toMatchObject({ state: "waiting" });
    expect((await fetch(`${origin}${workflow.resume}`, { method: "POST" })).status).toBe(200);
    await expect.poll(() => runOf(workflow.run), patient).toMatchObject({ state: "succeeded" });
    const { steps } = await runOf(workflow.run);
    expect(steps.at(-1)).toMatchObject({
      name: "last",
      exports: { $return_value: { token: "of the step" } },
    });
    const later = fetch(`${origin}${workflow.endpoint}`, { method: "POST" }).catch(() => undefined);
    await expect
      .poll(() => call<{ state: string }[]>(ada, `/workflows/${workflow.id}/runs`), patient)
      .toMatchObject([{ state: "waiting" }, { state: "succeeded" }]);

    // Timers continue, and existing resources can be changed and deleted.
    await expect
      .poll(async () => (await eventsOf(timer)).length, patient)
      .toBeGreaterThan(ticksBefore);
    expect(await call(ada, `/sources/${keeper.id}`, { name: "renamed" }, "PUT")).toMatchObject({
      name: "renamed",
    });
    expect(await trigger(`${origin}${keeper.endpoint}`, {})).toEqual(keeper.values);
    void later;
  },
);
