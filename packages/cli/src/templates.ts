import { APP, APP_SOURCE, APP_TEST } from "./app-templates.ts";

/** The files of `init`, by kind; `app`: a source that uses an app. */
export const KINDS = ["source", "action", "app", "workflow"] as const;
export type Kind = (typeof KINDS)[number];

const SOURCE = `/** Emits every order that is posted to its endpoint, each once. */
export default {
  key: "NAME",
  name: "NAME",
  version: "0.0.1",
  type: "source",
  description: "Emits every order that is posted to its endpoint, each once.",
  dedupe: "unique",
  props: {
    http: "$.interface.http",
  },
  run(event) {
    const order = event.body;
    this.$emit(order, { id: order.id, summary: \`Order \${order.id}\`, ts: Date.now() });
  },
};
`;

const SOURCE_TEST = `import assert from "node:assert/strict";
import { test } from "node:test";

import source from "./component.js";

test("an order is emitted with its id", () => {
  const emitted = [];
  const instance = { ...source, $emit: (event, meta) => emitted.push({ event, meta }) };
  instance.run({ body: { id: 7 } });
  assert.equal(emitted.length, 1);
  assert.equal(emitted[0].meta.id, 7);
});
`;

const ACTION = `/** Greets somebody. */
export default {
  key: "NAME",
  name: "NAME",
  version: "0.0.1",
  type: "action",
  description: "Greets somebody.",
  props: {
    who: { type: "string", label: "Who is greeted" },
  },
  async run({ $ }) {
    $.export("$summary", \`Greeted \${this.who}\`);
    return \`Hello, \${this.who}!\`;
  },
};
`;

const ACTION_TEST = `import assert from "node:assert/strict";
import { test } from "node:test";

import action from "./component.js";

test("somebody is greeted", async () => {
  const exported = {};
  const $ = { export: (name, value) => (exported[name] = value) };
  const greeting = await action.run.call({ who: "Ada" }, { $ });
  assert.equal(greeting, "Hello, Ada!");
  assert.equal(exported.$summary, "Greeted Ada");
});
`;

const WORKFLOW = `{
  "name": "NAME",
  "trigger": { "type": "http" },
  "steps": [
    {
      "name": "greet",
      "component_code": "export default { props: { who: { type: 'string' } }, run() { return 'Hello, ' + this.who; } }",
      "props": { "who": "{{ steps.trigger.event.body.name }}" }
    }
  ]
}
`;

const manifest = (name: string): string =>
  `${JSON.stringify(
    {
      name,
      version: "0.0.1",
      private: true,
      type: "module",
      main: "component.js",
      scripts: { dev: "wellspring dev", test: "node --test" },
    },
    null,
    2,
  )}\n`;

/** The component of a kind, its test, and the file that it imports. */
const COMPONENTS: Record<Exclude<Kind, "workflow">, Record<string, string>> = {
  source: { "component.js": SOURCE, "component.test.js": SOURCE_TEST },
  action: { "component.js": ACTION, "component.test.js": ACTION_TEST },
  app: { "app.js": APP, "component.js": APP_SOURCE, "component.test.js": APP_TEST },
};

/** The files of a new component or workflow, by their path. */
export function filesOf(kind: Kind, name: string): Record<string, string> {
  if (kind === "workflow") return named({ "workflow.json": WORKFLOW }, name);
  return { "package.json": manifest(name), ...named(COMPONENTS[kind], name) };
}

/** Templates with the name of what they make. */
export function named(templates: Record<string, string>, name: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(templates).map(([path, text]) => [path, text.replaceAll("NAME", name)]),
  );
}
