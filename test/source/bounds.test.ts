import { expect, test } from "vitest";

import { deploy, eventsOf, sendJson } from "../support/deploy.ts";
import { storedEvents } from "../support/source-tables.ts";

const MB = 1024 * 1024;

const http = (run: string, more = "") => `
  ${more}
  export default { props: { http: "$.interface.http" }, async run({ body }) { ${run} } };`;

/** A component that patches the harness and changes the outcomes of its runs. */
const forging = (change: string) =>
  http(
    `this.$emit("real");`,
    `import Harness from "./harness.worker.js";
     for (const name of ["invoke", "invokeAll"]) {
       const real = Harness.prototype[name];
       Harness.prototype[name] = async function (...args) {
         const result = await real.apply(this, args);
         for (const outcome of [result].flat()) { ${change} }
         return result;
       };
     }`,
  );

const outcomesOf = async (source: Awaited<ReturnType<typeof deploy>>) => {
  const [events, errors, logs] = await Promise.all([
    eventsOf(source.stub),
    eventsOf(source.stub, "$errors"),
    eventsOf(source.stub, "$logs"),
  ]);
  const messages = errors.map(({ event }) => JSON.stringify(event));
  return { events: events.map(({ event }) => event), messages, logs };
};

const emitted = (fields: string) =>
  `outcome.emitted = [{ payload: "1", emittedAtMs: Date.now(), ${fields} }];`;

test.for([
  ["an error record", emitted(`name: "$errors"`), "channel of the platform"],
  ["a log line", emitted(`name: "$logs"`), "channel of the platform"],
  [
    "20,001 events",
    `outcome.emitted = Array.from({ length: 20001 }, () => ({ payload: "1", emittedAtMs: 1 }));`,
    "more events than",
  ],
  ["5 MB in an event", emitted(`payload: JSON.stringify("x".repeat(5e6))`), "larger than 1 MB"],
  ["text that is no JSON", emitted(`payload: "1\\n\\ndata: forged"`), "not JSON"],
  ["a long summary", emitted(`summary: "x".repeat(300000)`), "larger than they may be"],
  [
    "20 MB of db",
    `outcome.db = {};
     for (let n = 0; n < 20; n += 1) outcome.db[n] = JSON.stringify("x".repeat(1e6));`,
    "8 MB",
  ],
  ["db that is no JSON", `outcome.db = { a: "{" };`, "not JSON"],
  [
    "db that is nested too deep",
    `outcome.db = { a: "[".repeat(501) + "]".repeat(501) };`,
    "nested too deep",
  ],
  [
    "20 MB of events beyond Latin-1",
    `outcome.emitted = Array.from({ length: 20 }, () => ({ payload: JSON.stringify("я".repeat(500000)), emittedAtMs: 1 }));`,
    "16 MB",
  ],
  [
    "1,001 headers",
    `outcome.response = { status: 200, headers: { a: Array.from({ length: 1001 }, () => "") }, body: null };`,
    "more than 1,000 headers",
  ],
  [
    "300 log lines",
    `outcome.logs = Array.from({ length: 300 }, () => ({ level: "info", message: "", atMs: 1 }));`,
    "log lines",
  ],
] as [string, string, string][])(
  "does not commit %s that a component forges",
  async ([, change, why]) => {
    const source = await deploy(forging(change));
    // The first run loads the component with its patch.
    await sendJson(source.url, {});
    await sendJson(source.url, {});
    await expect.poll(async () => (await outcomesOf(source)).messages.join()).toContain(why);
    const { events, messages } = await outcomesOf(source);
    expect(events.filter((event) => event !== "real")).toEqual([]);
    expect(messages.join()).toContain("InvalidOutcome");
    expect(messages.join()).not.toContain("crashed its isolate");
  },
);

test("an emit beyond 16 MB in all throws in the component, and earlier ones are kept", async () => {
  const source = await deploy(
    http(`const text = body.text.repeat(500_000);
      for (let n = 0; n < 40; n += 1)
        try { this.$emit([n, text]) } catch (error) { this.$emit({ n, why: error.message }); break }`),
  );
  // Half a megabyte each in Latin-1, a megabyte otherwise.
  for (const [text, count] of [
    ["é", 33],
    ["я", 16],
  ] as const) {
    await sendJson(source.url, { text });
    await expect
      .poll(async () => (await eventsOf(source.stub))[0]?.event)
      .toMatchObject({ why: expect.stringContaining("16 MB") });
    const { events } = await outcomesOf(source);
    expect(events[0]).toMatchObject({ n: count });
  }
  expect(await eventsOf(source.stub, "$errors")).toEqual([]);
});

test("concurrent runs that emit 10 MB each run once", async () => {
  const source = await deploy(
    http(`for (let n = 0; n < 10; n += 1) this.$emit("x".repeat(${MB} - 100));`),
  );
  await Promise.all(Array.from({ length: 8 }, () => sendJson(source.url, {})));
  const emittedCount = async () =>
    (await source.stub.events({ limit: 1, channel: "", expand: false })).totalCount;
  await expect.poll(emittedCount).toBe(80);
  // None is of another channel, such as that of errors.
  expect(await storedEvents(source.stub)).toBe(80);
});

test("events without an outcome of their group run again, one by one", async () => {
  const source = await deploy(
    http(
      `this.$emit(body.n);`,
      `import Harness from "./harness.worker.js";
       Harness.prototype.invokeAll = async () => [];`,
    ),
  );
  await Promise.all([1, 2, 3, 4].map((n) => sendJson(source.url, { n })));
  const numbers = async () => new Set((await eventsOf(source.stub)).map(({ event }) => event));
  await expect.poll(numbers).toEqual(new Set([1, 2, 3, 4]));
  expect(await eventsOf(source.stub, "$errors")).toEqual([]);
});
