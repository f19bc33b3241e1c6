import { COMPONENT_PACKAGE } from "./component-package.ts";

/** The files of a source that uses an app, in JavaScript. */
export const APP = `/** What components of NAME share: requests with the credentials of their account. */
export default {
  type: "app",
  app: "NAME",
  methods: {
    async get(path) {
      const { base_url, api_key } = this.$auth;
      const headers = { authorization: \`Bearer \${api_key}\` };
      const response = await fetch(new URL(path, base_url), { headers });
      if (!response.ok) throw new Error(\`\${path} returned \${response.status}\`);
      return response.json();
    },
    items() {
      return this.get("/items");
    },
  },
};
`;

export const APP_SOURCE = `import app from "./app.js";

/** Emits every item that the API of NAME lists, each once. */
export default {
  key: "NAME-new-item",
  name: "NAME: new item",
  version: "0.0.1",
  type: "source",
  description: "Emits every item that the API of NAME lists, each once.",
  dedupe: "unique",
  props: {
    app,
    timer: { type: "$.interface.timer", default: { intervalSeconds: 300 } },
  },
  async run() {
    for (const item of await this.app.items())
      this.$emit(item, { id: item.id, summary: item.name, ts: Date.now() });
  },
};
`;

export const APP_TEST = `import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";

import source from "./component.js";

test("an item of the API is emitted with its id", async () => {
  const server = createServer(({ headers }, response) => {
    response.end(JSON.stringify([{ id: 7, name: headers.authorization }]));
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  const base_url = \`http://127.0.0.1:\${server.address().port}\`;
  const app = { ...source.props.app.methods, $auth: { base_url, api_key: "secret" } };
  const emitted = [];
  await source.run.call({ app, $emit: (event, meta) => emitted.push({ event, meta }) });
  server.close();
  assert.equal(emitted.length, 1);
  assert.equal(emitted[0].meta.id, 7);
  assert.equal(emitted[0].event.name, "Bearer secret");
});
`;

/** The same in TypeScript. */
export const TYPED_APP = `import { defineApp } from "${COMPONENT_PACKAGE}";

export type Item = { id: number; name: string };

/** What components of NAME share: requests with the credentials of their account. */
export default defineApp({
  type: "app",
  app: "NAME",
  methods: {
    async get(path: string) {
      const { base_url, api_key } = this.$auth;
      const headers = { authorization: \`Bearer \${api_key}\` };
      const response = await fetch(new URL(path, base_url), { headers });
      if (!response.ok) throw new Error(\`\${path} returned \${response.status}\`);
      return response.json();
    },
    async items(): Promise<Item[]> {
      return this.get("/items");
    },
  },
});
`;

export const TYPED_APP_SOURCE = `import { defineSource } from "${COMPONENT_PACKAGE}";

import app from "./app.js";

/** Emits every item that the API of NAME lists, each once. */
export default defineSource({
  key: "NAME-new-item",
  name: "NAME: new item",
  version: "0.0.1",
  type: "source",
  description: "Emits every item that the API of NAME lists, each once.",
  dedupe: "unique",
  props: {
    app,
    timer: { type: "$.interface.timer", default: { intervalSeconds: 300 } },
  },
  async run() {
    for (const item of await this.app.items())
      this.$emit(item, { id: item.id, summary: item.name });
  },
});
`;

export const TYPED_APP_TEST = `import assert from "node:assert/strict";
import { test } from "node:test";

import { testSource } from "${COMPONENT_PACKAGE}/testing";

const component = new URL("component.ts", import.meta.url);

test("an item of the API is emitted once", async () => {
  const setup = {
    props: { app: { $auth: { base_url: "https://api.example.com", api_key: "secret" } } },
    fetch: (request) => Response.json([{ id: 7, name: request.headers.get("authorization") }]),
  };
  const first = await testSource(component, setup);
  assert.equal(first.error, undefined);
  assert.deepEqual(first.emits, [
    { event: { id: 7, name: "Bearer secret" }, id: "7", summary: "Bearer secret" },
  ]);

  const second = await testSource(component, { ...setup, seen: first.seen });
  assert.deepEqual(second.emits, []);
});
`;
