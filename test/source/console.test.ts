import { expect, test } from "vitest";

import { signUp } from "../support/client.ts";
import { logged } from "../support/logs.ts";

test.for([
  ["log", `"hello %s", "Ada", { a: 1 }`, "info", "hello Ada { a: 1 }"],
  ["info", `["a"]`, "info", "[ 'a' ]"],
  ["warn", `"careful"`, "warn", "careful"],
  ["error", `new RangeError("broken").message, 7`, "error", "broken 7"],
  ["debug", `"%d%%", 5`, "debug", "5%"],
  ["dirxml", `{ a: 1 }`, "info", "{ a: 1 }"],
  ["dir", `{ a: { b: { c: { d: 1 } } } }, { depth: 0 }`, "info", "{ a: [Object] }"],
  ["assert", `1 === 2, "one is %d", 2`, "error", "Assertion failed: one is 2"],
  ["assert", `false`, "error", "Assertion failed"],
  ["timeLog", `"never begun"`, "warn", "No such label 'never begun'"],
  ["table", `"no table"`, "info", "no table"],
] as const)("console.%s(%s) is a line of level %s", async ([method, args, level, message]) => {
  expect(await logged(`console.${method}(${args})`)).toEqual([[level, message]]);
});

test("console.trace logs its call site", async () => {
  const [[level, message] = []] = await logged(`console.trace("here %s", 1)`);
  expect(level).toBe("debug");
  expect(message).toMatch(/^Trace: here 1\n +at .*run/);
});

test("the logged stack of an error has the frames of the component's files, and none of the platform's", async () => {
  const ada = await signUp();
  const component_code = `// Comments
// are not in the bundle.
export default {
  name: "Logs errors", version: "1",
  methods: {
    fail() {
      throw Object.assign(new Error("broken"), { status: 7 });
    },
  },
  run() {
    try { this.fail(); } catch (error) {
      console.log(error);
      console.error("caught:", new Error("outer", { cause: error }));
      console.log("see component.js:1:2");
    }
  },
};`;
  const { body } = await ada.post("/sources", { component_code });
  await ada.post(`/sources/${body.data.id}/run`, { wait: 20 });
  const history = await ada.get(
    `/sources/${body.data.id}/$logs/event_summaries?expand=event&limit=100`,
  );
  const [thrown, caused, plain] = history.body.data
    .map(({ event }: { event: { message: string } }) => event.message)
    .toReversed();
  expect(thrown).toMatch(
    /^Error: broken\n +at .*component\.[jt]s:7:\d+\)\n +at .*component\.[jt]s:11:\d+\) \{/,
  );
  expect(thrown).toMatch(/\{\n +status: 7\n\}$/);
  expect(caused).toMatch(/^caught: Error: outer\n +at .*:13:\d+\)/);
  expect(caused).toMatch(/\[cause\]: Error: broken\n +at .*:7:\d+\)/);
  for (const text of [thrown, caused]) expect(text).not.toMatch(/worker\.js/);
  expect(plain).toBe("see component.js:1:2");
});

test("console.table draws rows and columns", async () => {
  const [list, chosen, values] = await logged(
    `console.table([{ a: 1, b: "x" }, { a: 22 }]); console.table([{ a: 1, b: 2 }], ["b"]); console.table({ x: [1], y: 2 });`,
  );
  expect(list?.[1]).toBe(
    [
      "┌─────────┬────┬─────┐",
      "│ (index) │ a  │ b   │",
      "├─────────┼────┼─────┤",
      "│ 0       │ 1  │ 'x' │",
      "│ 1       │ 22 │     │",
      "└─────────┴────┴─────┘",
    ].join("\n"),
  );
  expect(chosen?.[1]).toContain("│ 0       │ 2 │");
  expect(values?.[1]).toContain("│ y       │   │ 2      │");
});

test("groups indent every line until they end", async () => {
  expect(
    await logged(
      `console.group("outer"); console.log("a\\nb"); console.groupCollapsed(); console.warn("c");
       console.groupEnd(); console.groupEnd(); console.groupEnd(); console.log("d");`,
    ),
  ).toEqual([
    ["info", "outer"],
    ["info", "  a\n  b"],
    ["warn", "    c"],
    ["info", "d"],
  ]);
});

test("labels of count and time last for a run", async () => {
  const lines = await logged(
    `console.count(); console.count("x"); console.count(); console.countReset(); console.count();
     console.time("t"); console.timeLog("t", "so far"); console.timeEnd("t"); console.timeEnd("t");
     console.time(); console.time(); console.timeEnd();`,
  );
  expect(lines.slice(0, 4).map(([, message]) => message)).toEqual([
    "default: 1",
    "x: 1",
    "default: 2",
    "default: 1",
  ]);
  expect(lines.slice(4)).toEqual([
    ["info", expect.stringMatching(/^t: \d+\.\d{3}ms so far$/)],
    ["info", expect.stringMatching(/^t: \d+\.\d{3}ms$/)],
    ["warn", "No such label 't'"],
    ["warn", "Label 'default' already exists"],
    ["info", expect.stringMatching(/^default: /)],
  ]);
});

test("methods for interactive consoles do nothing, and the console may be imported or destructured", async () => {
  expect(
    await logged(
      `console.clear(); console.profile("x"); console.profileEnd("x"); console.timeStamp(); console.assert(true);
       imported.log("imported"); log("detached"); [1].forEach(console.log);`,
      `import imported from "node:console"; const { log } = console;`,
    ),
  ).toEqual([
    ["info", "imported"],
    ["info", "detached"],
    ["info", "1 0 [ 1 ]"],
  ]);
});
