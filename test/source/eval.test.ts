import { expect, test } from "vitest";

import { signUp } from "../support/client.ts";

/** The events of a source with this body. */
async function emittedBy(body: string): Promise<unknown[]> {
  const ada = await signUp();
  const component_code = `export default {
  name: "Evaluates", version: "0.0.1", props: { timer: { type: "$.interface.timer", default: { intervalSeconds: 86400 } } },
  run() {
    const code = (evaluate) => {
      try { return evaluate(); } catch ({ name, message }) { return name + ": " + message; }
    };
    ${body}
  },
};`;
  const source = await ada.post("/sources", { component_code });
  expect(source.status).toBe(200);
  const path = `/sources/${source.body.data.id}`;
  const ran = await ada.post(`${path}/run`, { wait: 20 });
  expect([ran.status, ran.body.data?.state]).toEqual([200, "finished"]);
  return ran.body.data.events.map(({ event }: { event: unknown }) => event);
}

test("eval returns the value of a literal", async () => {
  const literals = [
    `[1, -2.5e3, 0x1F, .5, +7,]`,
    `({ a: 'it\\'s', "b c": [true, !1, null], 3: { "\\u00e9": \`x$y\` } })`,
    ` // a comment\n /* and another */ "\\x41\\u{1F600}\\n" ; `,
    `((("deep")))`,
  ];
  const events = await emittedBy(
    `for (const text of ${JSON.stringify(literals)}) this.$emit({ value: eval(text) });
     this.$emit({ value: [eval("undefined") === undefined, eval(12), (0, eval)("this") === globalThis] });`,
  );
  expect(events).toEqual(
    [
      [1, -2500, 31, 0.5, 7],
      { 3: { é: "x$y" }, a: "it's", "b c": [true, false, null] },
      "A😀\n",
      "deep",
      [true, 12, true],
    ].map((value) => ({ value })),
  );
});

test("eval assigns a literal to a variable in scope", async () => {
  const events = await emittedBy(
    `var found = {};
    const text = "{ filter: { title: { in: ['x'] } }, first: 50 }".match(/\\{(.)+\\}/g);
    eval("found =" + text);
    this.$emit(found);`,
  );
  expect(events).toEqual([{ filter: { title: { in: ["x"] } }, first: 50 }]);
});

test.for(["1 + 1", "{ a: 1 }", "f()", "({ ...x })", "({ __proto__: {} })", "x = 1", "'\\1'", "[1"])(
  "eval rejects the code %s as the runtime does",
  async (text) => {
    const events = await emittedBy(`this.$emit(code(() => eval(${JSON.stringify(text)})));`);
    expect(events).toEqual(["EvalError: Code generation from strings disallowed for this context"]);
  },
);
