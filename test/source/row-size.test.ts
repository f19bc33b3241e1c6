import { expect, test } from "vitest";

import { MAX_EVENT_BYTES, MAX_ROW_BYTES } from "#domain/row-size.ts";

import { deploy, eventsOf, send } from "../support/deploy.ts";
import { expectRowsFit } from "../support/rows.ts";
import { newDelivery, newReceiver } from "../support/webhook.ts";
import { code, deployWorkflow, runOnce, runsOf } from "../support/workflow.ts";

/** Throws the largest possible error. */
const THROWS = `
  const error = new Error("\\u0000".repeat(100000));
  error.stack = "\\u0000".repeat(100000);
  throw error;`;

const FAILING = `export default { props: { http: "$.interface.http" }, run() {${THROWS}} }`;

/** The largest event of a request: JSON in JSON escapes each quote twice, and headers are part of it. */
const LARGEST: RequestInit = {
  headers: { "content-type": "application/json", "x-quotes": '"'.repeat(80_000) },
  body: JSON.stringify('"'.repeat(262_000)),
};

/** Half a megabyte that is six as JSON. */
const TOO_LARGE: RequestInit = { body: "\u0001".repeat(512 * 1024) };

test("the largest request is stored, and its error shows it truncated", async () => {
  const source = await deploy(FAILING);
  expect((await send(source.url, LARGEST)).status).toBe(200);
  await expect.poll(() => eventsOf(source.stub, "$errors")).toHaveLength(1);
  const [error] = await eventsOf(source.stub, "$errors");
  expect(error?.event).toMatchObject({
    original_event: { method: "POST", body: expect.stringMatching(/^"{64,2000}…$/) },
    original_event_truncated: true,
    error: { message: "\u0000".repeat(4096) },
  });
  await expectRowsFit(source.stub);
});

test("an event in the inbox fits a row", async () => {
  const gate = await newReceiver({ status: 200, isHeld: true });
  const source = await deploy(
    `export default { props: { http: { type: "$.interface.http", customResponse: true } }, async run() {
      await fetch("${gate.url}", { method: "POST" }); this.http.respond({ status: 200 }) } }`,
  );
  const answer = send(source.url, LARGEST);
  await expect.poll(() => expectRowsFit(source.stub)).toBeGreaterThan(MAX_ROW_BYTES * 0.8);
  await gate.release();
  expect((await answer).status).toBe(200);
});

test("errors of errors fit a row, for any length of the chain", async () => {
  const source = await deploy(FAILING);
  let payload = JSON.stringify({ text: "x".repeat(MAX_EVENT_BYTES - 100) });
  for (let hop = 1; hop <= 3; hop += 1) {
    await source.stub.receive([{ ...newDelivery(), payload, channel: "" }]);
    await expect.poll(() => eventsOf(source.stub, "$errors")).toHaveLength(hop);
    const errors = await eventsOf(source.stub, "$errors");
    payload = JSON.stringify(errors.at(-1)?.event);
  }
  await expectRowsFit(source.stub);
});

test("a request that is too large as JSON is rejected with the limit, and not stored", async () => {
  const source = await deploy(FAILING);
  const response = await send(source.url, TOO_LARGE);
  expect(response.status).toBe(413);
  expect(await response.json()).toMatchObject({
    code: "too_large",
    error: expect.stringContaining(`at most ${MAX_EVENT_BYTES} bytes as JSON`) as string,
  });
  expect(await eventsOf(source.stub, "$errors")).toEqual([]);
});

test("an emit that is too large with its id is an error of its run; others are stored", async () => {
  const source = await deploy(`export default { props: { http: "$.interface.http" }, run() {
    this.$emit("x".repeat(1048000), { id: "\\u0000".repeat(200000) });
    this.$emit("x".repeat(1048000), { id: "i".repeat(200000), summary: "s".repeat(50000) });
  } }`);
  await send(source.url);
  await expect.poll(() => eventsOf(source.stub, "$errors")).toHaveLength(1);
  expect(await eventsOf(source.stub, "$errors")).toMatchObject([
    {
      event: { error: { message: expect.stringMatching(/^\$emit: 1 events were not/) as string } },
    },
  ]);
  expect(await eventsOf(source.stub)).toHaveLength(1);
  expect(await expectRowsFit(source.stub)).toBeGreaterThan(MAX_ROW_BYTES * 0.6);
});

test("the largest request to a workflow fits a row with its failure", async () => {
  const flow = await deployWorkflow({ steps: [{ name: "fails", component_code: code(THROWS) }] });
  expect((await send(flow.url, LARGEST)).status).toBe(200);
  await expect.poll(() => runsOf(flow)).toMatchObject([{ state: "failed" }]);
  expect(await expectRowsFit(flow.stub)).toBeGreaterThan(MAX_ROW_BYTES * 0.8);
  expect((await send(flow.url, TOO_LARGE)).status).toBe(413);
  expect(await runsOf(flow)).toHaveLength(1);
});

test("a workflow triggers another with an event that fits a row, and larger ones are rejected", async () => {
  const target = await deployWorkflow({ steps: [{ name: "look", component_code: code("") }] });
  const trigger = (length: number) => ({
    name: `trigger_${length}`,
    component_code: code(`await $.flow.trigger("${target.id}", "x".repeat(${length}))`),
  });
  const flow = await deployWorkflow({
    owner: target.user,
    steps: [trigger(MAX_EVENT_BYTES - 2), trigger(MAX_EVENT_BYTES)],
  });
  expect(await runOnce(flow)).toMatchObject({
    state: "failed",
    error: { message: expect.stringContaining(`at most ${MAX_EVENT_BYTES} bytes`) as string },
  });
  expect(await runsOf(target)).toHaveLength(1);
  await expectRowsFit(target.stub);
});

test.for([
  ["ASCII", "x", 1],
  ["characters of three bytes", "€", 3],
  ["control characters, which JSON escapes", "\\u0001", 6],
] as const)(
  "the largest value of $.service.db, of %s, fits its row",
  async ([, character, bytes]) => {
    const length = Math.floor((1024 * 1024 - 302) / bytes);
    const source =
      await deploy(`export default { props: { http: "$.interface.http", db: "$.service.db" }, run() {
    const set = (length) => { try { this.db.set("€".repeat(100), "${character}".repeat(length)); return "set"; }
      catch (error) { return error.message; } };
    this.$emit([set(${length}), set(${length + 10})]);
  } }`);
    await send(source.url);
    await expect.poll(() => eventsOf(source.stub)).toHaveLength(1);
    const [{ event } = { event: [] }] = await eventsOf(source.stub);
    expect(event).toEqual(["set", expect.stringContaining("1 MB")]);
    expect(await expectRowsFit(source.stub)).toBeGreaterThan(MAX_ROW_BYTES / 2);
  },
);
