import { expect, expectTypeOf, test } from "vitest";

import { defineAction, defineApp, defineSource } from "../../packages/component/src/index.ts";
import type { DataStore, Db, HttpEvent, TimerEvent } from "../../packages/component/src/values.ts";

// The compiler checks the expected types: `npm run check` fails on a difference.

const github = defineApp({
  type: "app",
  app: "github",
  propDefinitions: {
    repository: {
      type: "string",
      async options({ page }) {
        expectTypeOf(page).toEqualTypeOf<number>();
        return this.list(page);
      },
    },
    labels: { type: "string[]", optional: true },
  },
  methods: {
    token() {
      expectTypeOf(this.$auth).toEqualTypeOf<Record<string, string>>();
      expectTypeOf(this.list(1)).toEqualTypeOf<Promise<string[]>>();
      return this.$auth["oauth_access_token"] ?? "";
    },
    async list(page: number): Promise<string[]> {
      return [this.token(), String(page)];
    },
  },
});

const definition = {
  name: "A",
  version: "0.0.1",
  run() {},
} as const;

test("the functions return definitions unchanged", () => {
  expect(defineSource(definition)).toBe(definition);
  const action = { ...definition, type: "action" } as const;
  expect(defineAction(action)).toBe(action);
  const app = { type: "app", app: "github" } as const;
  expect(defineApp(app)).toBe(app);
});

test("a source sees the values of its props", () => {
  const source = defineSource({
    name: "Issues",
    version: "0.0.1",
    props: {
      github,
      db: "$.service.db",
      http: { type: "$.interface.http", customResponse: true },
      plain: "$.interface.http",
      store: { type: "data_store" },
      count: { type: "integer", min: 1 },
      word: { type: "string", optional: true },
      greeting: { type: "string", optional: true, default: "Hello" },
      tags: { type: "string[]" },
      owner: { type: "string", withLabel: true },
      owners: { type: "integer[]", withLabel: true },
      table: "$.airtable.tableId",
      repository: { propDefinition: [github, "repository"] },
      labels: { propDefinition: [github, "labels"], optional: false },
      branch: {
        propDefinition: [github, "repository", (configured) => ({ of: configured.repository })],
        optional: true,
      },
      notice: { type: "alert", alertType: "info", content: "Read this." },
    },
    hooks: {
      async deploy() {
        expectTypeOf(await this.github.list(1)).toEqualTypeOf<string[]>();
        expectTypeOf(this.github.$auth).toEqualTypeOf<Record<string, string>>();
        expectTypeOf(this.db).toEqualTypeOf<Db>();
        expectTypeOf(this.store).toEqualTypeOf<DataStore>();
        expectTypeOf(this.count).toEqualTypeOf<number>();
        expectTypeOf(this.word).toEqualTypeOf<string | undefined>();
        expectTypeOf(this.greeting).toEqualTypeOf<string>();
        expectTypeOf(this.tags).toEqualTypeOf<string[]>();
        expectTypeOf(this.owner).toEqualTypeOf<{ label: string; value: string }>();
        expectTypeOf(this.owners).toEqualTypeOf<{ label: string; value: number }[]>();
        expectTypeOf(this.table).toEqualTypeOf<unknown>();
        expectTypeOf(this.repository).toEqualTypeOf<string>();
        expectTypeOf(this.labels).toEqualTypeOf<string[]>();
        expectTypeOf(this.branch).toEqualTypeOf<string | undefined>();
        // @ts-expect-error -- there is no such prop
        void this.missing;
      },
    },
    methods: {
      shout(word: string) {
        return word.toUpperCase() + this.mark();
      },
      mark() {
        this.$emit(this.github.token());
        return this.greeting === "" ? "." : "!";
      },
    },
    run({ headers, body }) {
      expectTypeOf(headers).toEqualTypeOf<Record<string, string>>();
      expectTypeOf(this.shout("a")).toEqualTypeOf<string>();
      this.http.respond({ status: 200, body });
      // @ts-expect-error -- only with customResponse
      this.plain.respond({ status: 200 });
      // @ts-expect-error -- a response has a status
      this.http.respond({ body });
    },
  });
  expect(source.props?.github).toBe(github);
});

test("the trigger of a source determines the type of its event", () => {
  const clock = defineSource({
    ...definition,
    props: { timer: { type: "$.interface.timer", default: { intervalSeconds: 60 } } },
    run(event) {
      expectTypeOf(event).toEqualTypeOf<TimerEvent>();
    },
  });
  defineSource({
    ...definition,
    props: { http: "$.interface.http", timer: "$.interface.timer" },
    run(event) {
      expectTypeOf(event).toEqualTypeOf<HttpEvent | TimerEvent>();
    },
  });
  expect(clock.props?.timer.default).toEqual({ intervalSeconds: 60 });
});

test("a source that dedupes must give each event an id", () => {
  const orders = defineSource({
    name: "Orders",
    version: "0.0.1",
    dedupe: "unique",
    run() {
      this.$emit({}, { id: 1, summary: "One" });
      // @ts-expect-error -- it would not be emitted
      this.$emit({});
      // @ts-expect-error -- it would not be emitted
      this.$emit({}, { summary: "One" });
    },
  });
  defineSource({
    name: "Orders",
    version: "0.0.1",
    run() {
      this.$emit({});
      this.$emit({}, { summary: "One" });
    },
  });
  expect(orders.dedupe).toBe("unique");
});

test("an action sees its props and $", () => {
  const action = defineAction({
    name: "Greet",
    version: "0.0.1",
    type: "action",
    props: { who: { type: "string" } },
    async run({ $, steps }) {
      expectTypeOf($.context.run.runs).toEqualTypeOf<number>();
      expectTypeOf($.flow.suspend(1000).resume_url).toEqualTypeOf<string>();
      $.export("$summary", `Greeted ${this.who}`);
      // @ts-expect-error -- an action emits nothing
      void this.$emit;
      void steps;
      return `Hello, ${this.who}!`;
    },
  });
  expectTypeOf<ReturnType<typeof action.run>>().toEqualTypeOf<Promise<string>>();
});

test("an unknown member is a compile error", () => {
  defineSource({
    ...definition,
    // @ts-expect-error -- there is no such interface
    props: { http: "$.interface.htp" },
  });
  defineSource({
    ...definition,
    // @ts-expect-error -- nor such a field of a prop
    props: { word: { type: "string", lable: "A word" } },
  });
  // @ts-expect-error -- nor such a strategy
  defineSource({ ...definition, dedupe: "uniqe" });
  // @ts-expect-error -- nor such a key
  defineSource({ ...definition, hook: {} });
  // @ts-expect-error -- an action has a type
  expect(defineAction(definition)).toBe(definition);
});
