import {
  type Attack,
  endpoint,
  hold,
  holdsService,
  newTenant,
  operate,
  type Tenant,
  type World,
} from "./world.ts";

/** The maximum extra time of a request with hostile text, and its maximum ratio to one with plain text. */
const EXTRA_MS = 5000;
const TIMES = 10;

const STEP = `export default { name: "S", version: "0.0.1", type: "action", props: { value: { type: "string", optional: true } }, run() { return this.value } }`;

/** Expressions of workflow steps that are slow to parse, never end, or access more than data. */
const EXPRESSIONS = [
  `{{${"(".repeat(20_000)}1${")".repeat(20_000)}}}`,
  `{{${"[".repeat(20_000)}}}`,
  "{{".repeat(50_000),
  `{{steps${".a".repeat(30_000)}}}`,
  `{{${"`${".repeat(5000)}1${"}`".repeat(5000)}}}`,
  `{{/(a+)+$/.test("${"a".repeat(60)}b")}}`,
  `{{${"a?".repeat(20_000)}1}}`,
  "{{ (() => { while (true); })() }}",
  "{{ globalThis.process.exit() }}",
  `{{ this.constructor.constructor("return process")().env }}`,
  `{{ import("./harness.worker.js") }}`,
];

const CRONS = [
  "*/1 ".repeat(20_000),
  `${"1,".repeat(50_000)}1 * * * *`,
  `${"0-59,".repeat(5000)}0 * * * *`,
  "0 0 31 2 *",
  "0 0 30 2 1#5",
  `*${"/1".repeat(20_000)} * * * *`,
  " ".repeat(100_000),
  "99999999999999999999 * * * *",
];

type Call = () => Promise<{ status: number; text: string }>;

/** Compares hostile requests with the duration of a plain one, which runs beside the same other attacks. */
async function inTime(plain: Call): Promise<(name: string, work: Call) => Promise<void>> {
  await plain();
  const plainMs = await msOf(plain);
  return async (name, work) => {
    let answer = { status: 0, text: "" };
    const ms = await msOf(async () => (answer = await work()));
    const { status, text } = answer;
    const what = name.slice(0, 40);
    // 502: the target that the text names does not respond.
    hold(status < 500 || status === 502, `${what}… got ${status}: ${text.slice(0, 200)}`);
    const limitMs = EXTRA_MS + TIMES * plainMs;
    hold(ms < limitMs, `${what}… took ${ms.toFixed(0)} ms, a plain one ${plainMs.toFixed(0)}`);
  };
}

async function msOf(call: Call): Promise<number> {
  const startMs = performance.now();
  await call();
  return performance.now() - startMs;
}

export const parsers: Attack[] = [
  {
    name: "expressions of workflow steps are parsed in time, and end no other tenant's work",
    async run(world) {
      const eve = await newTenant(world);
      const within = await inTime(() => deployStep(world, eve, "{{ 1 }}"));
      for (const value of EXPRESSIONS) {
        await within(value, () => deployStep(world, eve, value));
      }
      await holdsService(world);
    },
  },
  {
    name: "cron expressions are parsed in time",
    async run(world) {
      const eve = await newTenant(world);
      const component_code = `export default { name: "T", version: "0.0.1", props: { timer: "$.interface.timer" }, run() {} }`;
      const deployAt = (cron: string) =>
        eve.call("POST", "/sources", { component_code, configured_props: { timer: { cron } } });
      const within = await inTime(() => deployAt("0 0 * * *"));
      for (const cron of CRONS) await within(cron, () => deployAt(cron));
      await holdsService(world);
    },
  },
  {
    name: "names, globs, cursors, URLs and paths are matched in time",
    async run(world) {
      const eve = await newTenant(world);
      const long = "a".repeat(100_000);
      const { data } = await eve.call("POST", "/sources", { component_code: endpoint("") });
      const texts = [
        `${long}!`,
        "*".repeat(50_000),
        `dc_${"*a".repeat(20_000)}`,
        `${"-".repeat(100_000)}x`,
        `${" ".repeat(100_000)}x`,
      ];
      const within = await inTime(() => eve.call("PUT", `/sources/${data.id}`, { name: "plain" }));
      for (const text of texts) {
        await within(`name ${text}`, () => eve.call("PUT", `/sources/${data.id}`, { name: text }));
        await within(`glob ${text}`, () =>
          eve.call("POST", "/subscriptions", { emitter_id: text, listener_id: data.id }),
        );
        await within(`url ${text}`, () =>
          eve.call("POST", "/webhooks", { url: `http://a.${text}`, name: text }),
        );
        await within(`component_url ${text}`, () =>
          eve.call("POST", "/components", { component_url: `https://github.com/${text}` }),
        );
        const query = encodeURIComponent(text.slice(0, 8000));
        await within(`cursor ${text}`, () => eve.call("GET", `/users/me/sources?after=${query}`));
        await within(`search ${text}`, () => eve.call("GET", `/components/search?query=${query}`));
        await within(`key ${text}`, () => eve.call("GET", `/components/${query}`));
      }
      await holdsService(world);
    },
  },
  {
    name: "hostile source text is scanned in time",
    async run(world) {
      const eve = await newTenant(world);
      const codes = [
        `/*${"*".repeat(200_000)}`,
        `import ${"a,".repeat(50_000)} from "x"`,
        `const a = "${"\\\\".repeat(100_000)}`,
        `export default { name: "X", version: "${"1.".repeat(50_000)}" , run() {} }`,
        `//# sourceMappingURL=${"a".repeat(200_000)}\nexport default { name: "X", version: "1", run() {} }`,
        "import('".repeat(20_000),
      ];
      const save = (component_code: string) => eve.call("POST", "/components", { component_code });
      let saved = 0;
      const within = await inTime(() => save(endpoint(`return ${(saved += 1)}`)));
      for (const component_code of codes) await within(component_code, () => save(component_code));
      await holdsService(world);
    },
  },
];

function deployStep(world: World, { id }: Tenant, value: string) {
  const steps = [{ name: "one", component_code: STEP, props: { value } }];
  return operate(world, "POST", "/workflows", {
    owner_id: id,
    name: "E",
    trigger: { type: "none" },
    steps,
  });
}
