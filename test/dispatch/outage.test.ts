// @suites dispatch

import { env } from "cloudflare:workers";
import { expect, onTestFinished, test } from "vitest";

import { scriptName } from "#sandbox/script.ts";

import { operator, signUp } from "../support/client.ts";
import { callsAbout, setOutage, uploaded } from "../support/cloudflare/client.ts";
import { eventsOf, sendJson } from "../support/deploy.ts";
import { dispatchesOf } from "../support/dispatches.ts";
import { movableClock } from "../support/movable-clock.ts";
import { code } from "../support/workflow.ts";

const MINUTE_MS = 60_000;

/** Code of a source that emits its request with the code's version. */
const relay = (version: string, more = "") => `export default {
  name: "Relay", version: "${version}", props: { http: "$.interface.http" }, ${more}
  run({ body }) { this.$emit({ version: "${version}", ...body }); },
}`;

async function deployed(ada: Awaited<ReturnType<typeof signUp>>, component_code: string) {
  const { status, body } = await ada.post("/sources", { component_code });
  expect([status, body]).toEqual([200, expect.anything()]);
  const { id, configured_props } = body.data;
  const stub = env.SOURCES.getByName(id);
  const { deployment } = JSON.parse((await stub.current()) ?? "");
  const name = await scriptName({ owner: ada.user.id, bundleHash: deployment.bundleHash });
  return { id, url: configured_props.http.endpoint_url as string, stub, name };
}

test("an outage of ten minutes rejects deployments for a while, stops no source, and leaves nothing behind", async () => {
  const ada = await signUp();
  const source = await deployed(ada, relay("1.0.0"));
  expect((await sendJson(source.url, { n: 1 })).status).toBe(200);
  expect((await dispatchesOf(source.name)).count).toBeGreaterThan(0);

  const clock = movableClock();
  await setOutage(true);
  onTestFinished(() => setOutage(false));

  /** Expect the rejections during an outage. Returns the seconds before a retry. */
  const refused = async () => {
    const answers = [
      await clock.during(ada.post("/sources", { component_code: relay("2.0.0") })),
      await clock.during(ada.put(`/sources/${source.id}`, { component_code: relay("3.0.0") })),
      await clock.during(
        operator.post("/workflows", {
          owner_id: ada.user.id,
          name: "Flow",
          steps: [{ name: "one", component_code: code("return 'no script'") }],
        }),
      ),
    ];
    for (const { status, body } of answers)
      expect([status, body]).toMatchObject([
        502,
        {
          code: "upstream_failed",
          error: expect.stringMatching(/could not be deployed; try again in \d+ s: .*503/),
          details: { retry_after_seconds: expect.any(Number) },
        },
      ]);
    return Math.max(...answers.map(({ body }) => body.details.retry_after_seconds as number));
  };
  await refused();
  clock.pass(4 * MINUTE_MS);
  expect((await sendJson(source.url, { n: 2 })).status).toBe(200);
  clock.pass(4 * MINUTE_MS);
  const waitSeconds = await refused();
  expect((await sendJson(source.url, { n: 3 })).status).toBe(200);

  expect((await ada.get("/users/me/sources")).body.data).toMatchObject([{ id: source.id }]);
  expect((await operator.get(`/workflows?owner_id=${ada.user.id}`)).body.data).toEqual([]);
  expect(await eventsOf(source.stub)).toMatchObject(
    [3, 2, 1].map((n) => ({ event: { n, version: "1.0.0" } })),
  );
  expect(await callsAbout(source.name)).toEqual(["PUT"]);

  clock.pass(2 * MINUTE_MS);
  await setOutage(false);
  clock.pass(waitSeconds * 1000);
  const next = await deployed(ada, relay("2.0.0"));
  await sendJson(next.url, { n: 1 });
  expect(await eventsOf(next.stub)).toMatchObject([{ event: { n: 1, version: "2.0.0" } }]);
  expect((await dispatchesOf(next.name)).count).toBeGreaterThan(0);
  const changed = await ada.put(`/sources/${source.id}`, { component_code: relay("3.0.0") });
  expect(changed.status).toBe(200);
  await sendJson(source.url, { n: 4 });
  expect((await eventsOf(source.stub))[0]).toMatchObject({ event: { n: 4, version: "3.0.0" } });
});

test("the loader replaces a script that is lost during an outage, until it is uploaded again", async () => {
  const ada = await signUp();
  const source = await deployed(ada, relay("1.0.0"));
  await deleteScript(source.name);
  await expect.poll(() => uploaded(source.name)).toBeNull();

  const clock = movableClock();
  await setOutage(true);
  onTestFinished(() => setOutage(false));
  for (const n of [1, 2, 3]) {
    expect((await sendJson(source.url, { n })).status).toBe(200);
    clock.pass(3 * MINUTE_MS);
  }
  expect(await eventsOf(source.stub)).toHaveLength(3);
  expect(await uploaded(source.name)).toBeNull();

  await setOutage(false);
  await expect
    .poll(async () => {
      clock.pass(MINUTE_MS);
      await sendJson(source.url, { n: 4 });
      return uploaded(source.name);
    })
    .not.toBeNull();
  const { count: before } = await dispatchesOf(source.name);
  await expect
    .poll(async () => {
      await sendJson(source.url, { n: 5 });
      return (await dispatchesOf(source.name)).count;
    })
    .toBeGreaterThan(before);
});

async function deleteScript(name: string): Promise<void> {
  const { CLOUDFLARE_API_URL: url, CLOUDFLARE_ACCOUNT_ID: account, DISPATCH_NAMESPACE } = env;
  const path = `accounts/${account}/workers/dispatch/namespaces/${DISPATCH_NAMESPACE}/scripts`;
  const gone = await fetch(`${url}/${path}/${name}`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${env.CLOUDFLARE_API_TOKEN}` },
  });
  expect(gone.status).toBe(200);
  await gone.text();
}
