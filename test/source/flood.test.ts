// @suites release

import { expect, test } from "vitest";

import { newId } from "#domain/ids.ts";

import { deploy, eventsOf, sendJson } from "../support/deploy.ts";

/** More than the maximum of concurrent (64) and waiting (5,000) runs. */
const FLOOD = 5400;

const CLIENTS = 100;

/** Sources of one owner share the isolate of this code: the runs of one wait until the other opens the gate. */
const GATED = `
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  const seen = [];
  let isOpen = false;
  export default {
    props: { http: "$.interface.http" },
    async run({ body: { id, question } }) {
      if (question === "open") isOpen = true;
      if (question) return this.$emit(seen);
      while (!isOpen) await wait(50);
      seen.push(id);
    },
  };`;

/** Send events from many clients at once. Resolves to the responses by the ids of their events. */
async function flood(url: string): Promise<Map<number, Response>> {
  const responses = new Map<number, Response>();
  const ids = Array.from({ length: FLOOD }, (_, id) => id).values();
  const client = async (): Promise<void> => {
    for (const id of ids) responses.set(id, await sendJson(url, { id }));
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return responses;
}

test("a flood gets 429 with Retry-After, and every acknowledged event runs once", async () => {
  const owner = newId("user");
  const flooded = await deploy(GATED, { owner });
  const gate = await deploy(GATED, { owner });
  const seen = async (question: string): Promise<number[]> => {
    await sendJson(gate.url, { question });
    const [latest] = await eventsOf(gate.stub);
    return latest?.event as number[];
  };
  const responses = [...(await flood(flooded.url))];
  const accepted = responses.flatMap(([id, { status }]) => (status === 200 ? [id] : []));
  const refused = responses.flatMap(([, response]) => (response.status === 200 ? [] : [response]));
  expect(await seen("seen")).toEqual([]);
  expect(accepted.length).toBeGreaterThanOrEqual(5000);
  expect(refused.length).toBeGreaterThan(0);
  for (const { status, headers } of refused)
    expect([status, headers.get("retry-after")]).toEqual([429, "1"]);
  await seen("open");
  const inOrder = async (): Promise<number[]> => (await seen("seen")).toSorted((a, b) => a - b);
  await expect
    .poll(inOrder, { timeout: 60_000, interval: 500 })
    .toEqual(accepted.toSorted((a, b) => a - b));
});
