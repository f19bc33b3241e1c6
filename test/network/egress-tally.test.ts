import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { connect } from "#db/client.ts";
import { addEgress } from "#db/egress.ts";
import { dayOf, type EgressReport } from "#domain/billing.ts";
import { newId } from "#domain/ids.ts";
import { EgressTally } from "#sandbox/egress/tally.ts";

import { operator, signUp, workspaceOf } from "../support/client.ts";
import { deploy, sendJson } from "../support/deploy.ts";
import { linesOf } from "../support/telemetry.ts";
import { newReceiver } from "../support/webhook.ts";

const ONE = { requests: 1, sentBytes: 2, receivedBytes: 3, unmeasured: 0 };
const NONE = { requests: 0, sentBytes: 0, receivedBytes: 0, unmeasured: 0 };
const NOON_MS = Date.UTC(2026, 0, 31, 12);

test("reports collected counts once, by owner and day", async () => {
  const tally = new EgressTally();
  const reports: EgressReport[][] = [];
  const report = async (sums: EgressReport[]) => void reports.push(sums);
  const first = tally.settle(report, 20);
  tally.add("u_1", ONE, NOON_MS);
  // While a report is due, no other is scheduled.
  await tally.settle(report, 20);
  expect(reports).toEqual([]);
  tally.add("u_1", { ...ONE, unmeasured: 1 }, NOON_MS);
  tally.add("u_1", ONE, NOON_MS + 86_400_000);
  tally.add("o_1", ONE, NOON_MS);
  await first;
  expect(reports).toEqual([
    [
      {
        ownerId: "u_1",
        day: "2026-01-31",
        requests: 2,
        sentBytes: 4,
        receivedBytes: 6,
        unmeasured: 1,
      },
      { ownerId: "u_1", day: "2026-02-01", ...ONE },
      { ownerId: "o_1", day: "2026-01-31", ...ONE },
    ],
  ]);
  await tally.settle(report, 1);
  expect(reports).toHaveLength(1);
});

test("a failed report is logged, and the next one includes its counts", async () => {
  const tally = new EgressTally();
  tally.add("u_1", ONE, NOON_MS);
  const lines = await linesOf("warn", () =>
    tally.settle(async () => {
      tally.add("u_1", ONE, NOON_MS);
      throw new Error("D1 is away");
    }, 1),
  );
  expect(lines).toMatchObject([{ event: "egress_unreported", count: 1 }]);
  const reports: EgressReport[][] = [];
  await tally.settle(async (sums) => void reports.push(sums), 1);
  expect(reports).toMatchObject([[{ requests: 2, sentBytes: 4 }]]);
});

test("operators see the egress of each owner's components by day", async () => {
  const ada = await signUp();
  const workspace = await workspaceOf(ada);
  const now = Date.now() / 1000;
  const [today, before, long] = [0, 3, 40].map((ago) => dayOf(now - ago * 86_400));
  const ownerId = ada.user.id as `u_${string}`;
  await addEgress(connect(env.DB), [
    { ownerId, day: today ?? "", ...ONE },
    { ownerId, day: before ?? "", ...NONE, requests: 7 },
    { ownerId, day: long ?? "", ...ONE },
    { ownerId: workspace as `o_${string}`, day: today ?? "", ...ONE },
  ]);
  await addEgress(connect(env.DB), [{ ownerId, day: today ?? "", ...ONE, unmeasured: 1 }]);
  const daysOf = async (path: string) => (await operator.get(path)).body.data.days;
  expect(await daysOf(`/users/${ownerId}/egress`)).toEqual([
    { day: before, requests: 7, sent_bytes: 0, received_bytes: 0, unmeasured: 0 },
    { day: today, requests: 2, sent_bytes: 4, received_bytes: 6, unmeasured: 1 },
  ]);
  expect(await daysOf(`/users/${ownerId}/egress?days=1`)).toHaveLength(1);
  expect(await daysOf(`/users/${ownerId}/egress?days=41`)).toHaveLength(3);
  expect(await daysOf(`/workspaces/${workspace}/egress`)).toHaveLength(1);
  for (const path of [`/users/${newId("user")}/egress`, `/workspaces/${newId("workspace")}/egress`])
    expect(await operator.get(path)).toMatchObject({ status: 404, body: { code: "not_found" } });
  for (const days of ["0", "401", "many"])
    expect(await operator.get(`/users/${ownerId}/egress?days=${days}`)).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/^days: /) },
    });
});

test("an owner's egress includes a component's sent bytes after a few seconds, with either adapter", async () => {
  const ada = await signUp();
  const { url } = await newReceiver({ status: 200 });
  const source = await deploy(
    `export default { props: { http: "$.interface.http" }, async run({ body }) {
       for (let n = 0; n < 3; n += 1)
         await (await fetch(body.url, { method: "POST", body: "12345" })).text();
     } }`,
    { owner: ada.user.id },
  );
  await sendJson(source.url, { url });
  const days = async () => (await operator.get(`/users/${ada.user.id}/egress`)).body.data.days;
  await expect
    .poll(days)
    .toMatchObject([{ day: dayOf(Date.now() / 1000), requests: 3, sent_bytes: 15 }]);
});
