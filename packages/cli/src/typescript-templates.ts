import { TYPED_APP, TYPED_APP_SOURCE, TYPED_APP_TEST } from "./app-templates.ts";
import { COMPONENT_PACKAGE } from "./component-package.ts";
import { type Kind, named } from "./templates.ts";

const SOURCE = `import { defineSource } from "${COMPONENT_PACKAGE}";

/** Emits every order that is posted to its endpoint, each once. */
export default defineSource({
  key: "NAME",
  name: "NAME",
  version: "0.0.1",
  type: "source",
  description: "Emits every order that is posted to its endpoint, each once.",
  dedupe: "unique",
  props: {
    http: "$.interface.http",
  },
  run({ body: order }) {
    this.$emit(order, { id: order.id, summary: \`Order \${order.id}\` });
  },
});
`;

const SOURCE_TEST = `import assert from "node:assert/strict";
import { test } from "node:test";

import { testSource } from "${COMPONENT_PACKAGE}/testing";

const component = new URL("component.ts", import.meta.url);

test("an order is emitted once", async () => {
  const event = { body: { id: 7 } };
  const first = await testSource(component, { event });
  assert.equal(first.error, undefined);
  assert.deepEqual(first.emits, [{ event: { id: 7 }, id: "7", summary: "Order 7" }]);

  const second = await testSource(component, { event, seen: first.seen });
  assert.deepEqual(second.emits, []);
});
`;

const ACTION = `import { defineAction } from "${COMPONENT_PACKAGE}";

/** Greets somebody. */
export default defineAction({
  key: "NAME",
  name: "NAME",
  version: "0.0.1",
  type: "action",
  description: "Greets somebody.",
  props: {
    who: { type: "string", label: "Who is greeted" },
  },
  run({ $ }) {
    $.export("$summary", \`Greeted \${this.who}\`);
    return \`Hello, \${this.who}!\`;
  },
});
`;

const ACTION_TEST = `import assert from "node:assert/strict";
import { test } from "node:test";

import { testAction } from "${COMPONENT_PACKAGE}/testing";

const component = new URL("component.ts", import.meta.url);

test("somebody is greeted", async () => {
  const { ret, exports, error } = await testAction(component, { props: { who: "Ada" } });
  assert.equal(error, undefined);
  assert.equal(ret, "Hello, Ada!");
  assert.equal(exports.$summary, "Greeted Ada");
});
`;

const TSCONFIG = {
  compilerOptions: {
    target: "es2022",
    lib: ["es2022", "dom", "dom.iterable"],
    module: "nodenext",
    strict: true,
    noEmit: true,
    skipLibCheck: true,
  },
};

const manifest = (name: string, spec: string) => ({
  name,
  version: "0.0.1",
  private: true,
  type: "module",
  main: "component.ts",
  scripts: { dev: "wellspring dev", test: "node --test" },
  devDependencies: { [COMPONENT_PACKAGE]: spec },
});

/** The component of a kind, its test, and the file that it imports. */
const COMPONENTS: Record<Exclude<Kind, "workflow">, Record<string, string>> = {
  source: { "component.ts": SOURCE, "component.test.js": SOURCE_TEST },
  action: { "component.ts": ACTION, "component.test.js": ACTION_TEST },
  app: {
    "app.ts": TYPED_APP,
    "component.ts": TYPED_APP_SOURCE,
    "component.test.js": TYPED_APP_TEST,
  },
};

/** The files of a new component in TypeScript, by their path; `spec` is where npm installs its types and tests from. */
export function typescriptFilesOf(
  kind: Exclude<Kind, "workflow">,
  name: string,
  spec: string,
): Record<string, string> {
  return {
    "package.json": jsonText(manifest(name, spec)),
    "tsconfig.json": jsonText(TSCONFIG),
    ...named(COMPONENTS[kind], name),
  };
}

function jsonText(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
