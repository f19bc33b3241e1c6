import { expect, test } from "vitest";

import { deploy, eventsOf, sendJson } from "../support/deploy.ts";
import { linesOf, logged } from "../support/logs.ts";

test("a line that is too long is truncated, with the number of dropped characters", async () => {
  const [[, message] = []] = await logged(`console.log("x".repeat(5000))`);
  expect(message).toBe(`${"x".repeat(4096)}… [904 more characters are not kept]`);
});

test("lines beyond a run's limit are dropped, and the last line has their number", async () => {
  const lines = await logged(`for (let n = 0; n < 250; n += 1) console.log(n)`);
  expect(lines.at(-1)).toEqual(["warn", "[50 more lines are not kept: a run may log 200]"]);
  expect(lines.at(-2)).toEqual(["info", "199"]);
  const whole = await logged(`for (let n = 0; n < 200; n += 1) console.log(n)`);
  expect(whole.at(-1)).toEqual(["info", "199"]);
});

test("every line has the time and the id of its run", async () => {
  const source = await deploy(
    `export default { props: { http: "$.interface.http" }, run() { console.log("a"); console.log("b"); } }`,
  );
  const beganMs = Date.now();
  await sendJson(source.url, {});
  await sendJson(source.url, {});
  const lines = await linesOf(source);
  expect(lines).toHaveLength(4);
  const times = [beganMs, ...lines.map(({ ts }) => ts), Date.now()];
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(new Set(lines.map(({ run_id }) => run_id)).size).toBe(2);
});

const FAILING = `export default {
  props: { http: "$.interface.http" },
  run() { console.log("before"); throw new RangeError("out of reach"); },
}`;

test("the error of a run is also in its log, with the run's id", async () => {
  const source = await deploy(FAILING);
  await sendJson(source.url, {});
  const [before, failed] = await linesOf(source);
  expect(failed).toMatchObject({
    level: "error",
    message: expect.stringMatching(/^RangeError: out of reach\n +at /),
    run_id: before?.run_id,
  });
  // Without the platform's own frames.
  expect(failed?.message).toMatch(/^.*\n +at .*component\.js:3:\d+\)$/);
  expect(await eventsOf(source.stub, "$errors")).toMatchObject([
    { event: { original_context: { id: before?.run_id }, error: { code: "RangeError" } } },
  ]);
});

test.for([
  [`"just text"`, "Error", "just text"],
  [`undefined`, "Error", ""],
  [`{ status: 401 }`, "Error", '{"status":401}'],
  [`{ status: 401, message: "refused" }`, "Error", "refused"],
  [`[1, { a: 2 }]`, "Error", '[1,{"a":2}]'],
  [`new Map([["a", 1]])`, "Error", "Map(1) { 'a' => 1 }"],
  [
    `(() => { const a = { b: 1 }; a.a = a; return a; })()`,
    "Error",
    "<ref *1> { b: 1, a: [Circular *1] }",
  ],
  [`{ text: "x".repeat(9000) }`, "Error", `{"text":"${"x".repeat(4096 - 9)}`],
  [`new RangeError()`, "RangeError", ""],
  [`{ get message() { throw 1; } }`, "Error", "The thrown value cannot be read"],
  [`Object.assign(new Error("m"), { name: "ConfigurationError" })`, "ConfigurationError", "m"],
  [`new AggregateError([], "all")`, "AggregateError", "all"],
] as const)("a run that throws %s fails as %s: %s", async ([thrown, code, message]) => {
  const source = await deploy(
    `export default { props: { http: "$.interface.http" }, run() { throw ${thrown}; } }`,
  );
  await sendJson(source.url, {});
  expect(await eventsOf(source.stub, "$errors")).toMatchObject([
    { event: { error: { code, message } } },
  ]);
});

test.for([
  ["a rejection that nobody waits for", `Promise.reject(new TypeError("lost"));`],
  [
    "an async call that nobody waits for",
    `(async () => { await 1; throw new TypeError("lost"); })();`,
  ],
  [
    "one in the very last moment of a run",
    `await new Promise((r) => setTimeout(r, 5)); Promise.reject(new TypeError("lost"));`,
  ],
  [
    "a timer's callback",
    `setTimeout(() => { throw new TypeError("lost"); }, 1); await new Promise((r) => setTimeout(r, 20));`,
  ],
  ["a microtask", `queueMicrotask(() => { throw new TypeError("lost"); });`],
  [
    "an emitter without a listener for errors",
    `setTimeout(() => new EventEmitter().emit("error", new TypeError("lost")), 1); await new Promise((r) => setTimeout(r, 20));`,
  ],
] as const)("%s is recorded, and the run continues", async ([, body]) => {
  const source = await deploy(`import { EventEmitter } from "node:events";
    export default { props: { http: "$.interface.http" }, async run() { ${body} this.$emit("done"); } }`);
  await sendJson(source.url, {});
  await expect.poll(() => eventsOf(source.stub)).toMatchObject([{ event: "done" }]);
  expect(await eventsOf(source.stub, "$errors")).toMatchObject([
    { event: { error: { code: "TypeError", message: "lost" } } },
  ]);
  expect(await linesOf(source)).toMatchObject([
    { level: "error", message: expect.stringMatching(/^TypeError: lost/) },
  ]);
});

test("a rejection that is caught later is not an error", async () => {
  expect(
    await logged(
      `const failing = Promise.reject(new Error("late")); await new Promise((r) => setTimeout(r, 10)); await failing.catch(() => {});`,
    ),
  ).toEqual([]);
});

test("errors of concurrent calls are attributed to their own run", async () => {
  const source = await deploy(`export default { props: { http: "$.interface.http" },
    async run({ body }) {
      console.log(body.who);
      setTimeout(() => { throw new Error(body.who); }, body.ms);
      await new Promise((r) => setTimeout(r, 100));
    } }`);
  await Promise.all([
    sendJson(source.url, { who: "a", ms: 60 }),
    sendJson(source.url, { who: "b", ms: 20 }),
  ]);
  await expect.poll(async () => (await linesOf(source)).length).toBe(4);
  const lines = await linesOf(source);
  const runs = Map.groupBy(lines, ({ run_id }) => run_id);
  for (const [own, error] of runs.values())
    expect(error?.message).toMatch(new RegExp(`^Error: ${own?.message}\\n`));
  expect(runs.size).toBe(2);
});

test("hooks also log, and the log has their errors", async () => {
  const source = await deploy(`export default {
    props: { http: "$.interface.http" },
    hooks: {
      deploy() { console.log("deploying"); },
      activate() { console.log("activating"); Promise.reject(new Error("nobody waits")); },
      deactivate() { console.log("deactivating"); throw new Error("gone already"); },
    },
    run() {},
  }`);
  await source.stub.update(source.deployment, false);
  const lines = await linesOf(source);
  expect(lines.map(({ level, message }) => [level, message.split("\n")[0]])).toEqual([
    ["info", "deploying"],
    ["info", "activating"],
    ["error", "Error: nobody waits"],
    ["info", "deactivating"],
    ["error", "Error: gone already"],
  ]);
  expect(new Set(lines.map(({ run_id }) => run_id)).size).toBe(3);
  const errors = await eventsOf(source.stub, "$errors");
  expect(errors).toMatchObject([
    { event: { original_context: { id: lines[4]?.run_id }, error: { message: "gone already" } } },
    { event: { error: { message: "nobody waits" } } },
  ]);
});

test("the source's log includes a hook that failed an update", async () => {
  const source = await deploy(`let calls = 0; export default {
    props: { http: "$.interface.http" },
    hooks: { activate() { calls += 1; console.log("call", calls); if (calls === 2) throw new Error("not now"); } },
    run() {},
  }`);
  expect(await source.stub.update(source.deployment, true)).toMatchObject({ ok: false });
  const lines = await linesOf(source);
  expect(lines.map(({ message }) => message.split("\n")[0])).toEqual([
    "call 1",
    "call 2",
    "Error: not now",
    "call 3",
  ]);
});
