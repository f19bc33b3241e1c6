import { setTimeout as wait } from "node:timers/promises";

import { type Attack, deploy, endpoint, hold, holdsService, newTenant } from "../world.ts";
import { accountOf, declareApp, newAgent, READS_KEY, savedAction } from "./mcp.ts";

/** Every clock that a program might have. Each is a function whose result changes with time. */
const CLOCKS = `const fs = await import("node:fs"), vm = await import("node:vm").catch(() => ({}));
  const { performance: hooks = {} } = await import("node:perf_hooks").catch(() => ({}));
  const Prototype = Object.getPrototypeOf(performance);
  const timers = await import("node:timers");
  const timer = () => { const one = timers.setTimeout(() => {}, 0); timers.clearTimeout(one); return one; };
  const clocks = {
    "Date.now": () => Date.now(),
    "new Date": () => +new Date(),
    "Date()": () => Date(),
    "the constructor of a date": () => +new (new Date(0).constructor)(),
    "Reflect.construct": () => +Reflect.construct(Object.getPrototypeOf(new Date(0)).constructor, []),
    "a subclass of Date": () => +new (class extends Date {})(),
    "performance.now": () => performance.now(),
    "the prototype of performance": () => Prototype.now.call(performance),
    "performance.timeOrigin + toJSON": () => JSON.stringify(performance.toJSON()),
    "performance.mark": () => performance.mark("a").startTime,
    "performance.measure": () => performance.measure("b").duration,
    "performance.eventLoopUtilization": () => JSON.stringify(performance.eventLoopUtilization()),
    "node:perf_hooks": () => hooks.now(),
    "process.hrtime": () => String(process.hrtime()),
    "process.hrtime.bigint": () => String(process.hrtime.bigint()),
    "process.uptime": () => process.uptime(),
    "process.cpuUsage": () => JSON.stringify(process.cpuUsage()),
    "process.resourceUsage": () => JSON.stringify(process.resourceUsage()),
    "process.memoryUsage": () => JSON.stringify(process.memoryUsage()),
    "a mark by its class": () => new PerformanceMark("c").startTime,
    "a mark as JSON": () => JSON.stringify(performance.mark("d")),
    "a mark of the timeline": () => performance.getEntries().at(-1).startTime,
    "the prototype of node:perf_hooks": () => Object.getPrototypeOf(hooks).now.call(hooks),
    "a timer": () => JSON.stringify(Object.entries(timer())),
    "a file in a form": () => { const form = new FormData(); form.append("a", new Blob(["a"]), "a"); return form.get("a").lastModified; },
    "an event": () => new Event("a").timeStamp,
    "a message": () => new MessageEvent("message", {}).timeStamp,
    "a file": () => new File(["a"], "a").lastModified,
    "a file on disk": () => { fs.writeFileSync("/tmp/clock", "a"); return fs.statSync("/tmp/clock").mtimeMs; },
    "Intl": () => new Intl.DateTimeFormat("en", { fractionalSecondDigits: 3 }).format(),
    "the parts of Intl": () => JSON.stringify(new Intl.DateTimeFormat("en", { fractionalSecondDigits: 3 }).formatToParts()),
    "Temporal": () => String(Temporal.Now.instant()),
    "another realm": () => vm.runInNewContext("Date.now()"),
    "a random UUID of version 7": () => crypto.randomUUIDv7(),
  };
  const read = () => Object.fromEntries(Object.entries(clocks).map(([name, clock]) => {
    try { return [name, clock()]; } catch { return [name, null]; }
  }));
  const begun = read();
  let sum = 0;
  for (let turn = 0; turn < 2e8; turn += 1) sum += turn % 7;
  const ended = read();
  return Object.keys(clocks).filter((name) => begun[name] !== null && begun[name] !== ended[name]);`;

/** Names of objects that a program can reach and that lead out of it: bindings, stubs of the host, secrets. */
const REACHABLE = `const workers = await import("cloudflare:workers");
  const seen = new Set(), found = [];
  const LEADS_OUT = /^(?:Fetcher|Rpc(?:Stub|Promise|Property)|JsRpc\\w*|ServiceStub|LoopbackServiceStub|DurableObject(?:Namespace|Id|Stub)|D1Database|KvNamespace|R2Bucket|WorkerQueue|Queue|WorkerLoader|CallHost|Hyperdrive)$/;
  const look = (value, path, depth) => {
    if ((typeof value !== "object" && typeof value !== "function") || value === null || seen.has(value) || depth > 5) return;
    seen.add(value);
    const name = value.constructor?.name;
    if (path !== "" && typeof name === "string" && LEADS_OUT.test(name)) found.push(path + ": " + name);
    for (const key of Reflect.ownKeys(value)) {
      try { look(value[key], path + "." + String(key), depth + 1); } catch {}
    }
  };
  const context = workers.ctx ?? {};
  look({ global: globalThis, env: workers.env, exports: workers.exports, ctx: context, own: globalThis.__own }, "", 0);
  return { found, env: Object.keys(workers.env ?? {}), process: JSON.stringify(process.env), seen: seen.size };`;

/** Replaces built-in functions by which the harness talks to the host, and keeps what it sees of other objects. */
const POISONS = `const kept = [];
  const keep = (value) => { if (value !== null && typeof value === "object" && kept.length < 100) kept[kept.length] = value.constructor?.name ?? "none"; };
  for (const [owner, name] of [[Promise.prototype, "then"], [Function.prototype, "call"], [Function.prototype, "apply"], [Array.prototype, "push"], [Map.prototype, "get"], [Request.prototype, "text"], [Response.prototype, "json"]]) {
    const original = owner[name];
    Object.defineProperty(owner, name, { configurable: true, writable: true, value: function (...args) { keep(this); return Reflect.apply(original, this, args); } });
  }
  Object.prototype.owner = "u_somebody"; Object.prototype.grants = "all"; Object.prototype.isAdmin = true;
  Object.prototype.toJSON = undefined; Object.prototype.ok = true;`;

export const isolation: Attack[] = [
  {
    name: "a program has no clock that advances during its computation",
    async run(world) {
      const { agent, tenant } = await newAgent(world);
      const key = await savedAction(tenant, { code: CLOCKS });
      const control = await agent.tool("run", { action: key });
      const advancing = control.content?.ret ?? [];
      hold(advancing.includes("Date.now"), `In an action only [${advancing}] advance`);
      const { content, text } = await agent.tool("execute", { code: CLOCKS });
      hold(Array.isArray(content?.result), `The program ended with ${text.slice(0, 300)}`);
      hold(content.result.length === 0, `These clocks advance: ${content.result.join(", ")}`);
    },
  },
  {
    name: "a program reaches no binding, stub or secret by its globals, its environment or its context",
    async run(world) {
      const { agent, tenant } = await newAgent(world);
      const control = `globalThis.__own = { stub: new (class Fetcher {})() };\n${REACHABLE}`;
      const planted = await agent.tool("execute", { code: control });
      hold(
        planted.content?.result?.found?.some((path: string) => path.endsWith("stub: Fetcher")),
        `The search misses a planted binding: ${planted.text.slice(0, 300)}`,
      );
      const { content, text } = await agent.tool("execute", { code: REACHABLE });
      const { found, env, process: variables } = content?.result ?? {};
      hold(found?.length === 0, `It reaches ${text.slice(0, 400)}`);
      hold(env.length === 0, `Its environment has ${env}`);
      for (const secret of [world.platform.apiKey, world.platform.adminToken, tenant.key])
        hold(!variables.includes(secret), "Its process has a secret");
    },
  },
  {
    name: "a program that replaces built-in functions changes neither its owner nor its account",
    async run(world) {
      await declareApp(world);
      const [{ agent, tenant }, bob] = [await newAgent(world), await newTenant(world)];
      const [own, others] = [await accountOf(tenant, "own-key"), await accountOf(bob, "bobs-key")];
      const key = await savedAction(tenant, READS_KEY);
      const control = await agent.tool("execute", {
        code: `${POISONS}\nreturn run("${key}", { account: "${own}" });`,
      });
      hold(control.content?.result === "own-key", `Its own account: ${control.text.slice(0, 300)}`);
      for (const args of [
        `{ account: "${others}" }`,
        `JSON.parse('{"__proto__": {"account": "${others}"}}')`,
        `JSON.parse('{"constructor": {"prototype": {"account": "${others}"}}}')`,
        `{ account: { authProvisionId: "${others}", owner: "${bob.id}" } }`,
        `Object.assign({ account: "${own}" }, { account: { toJSON: () => "${others}" } })`,
      ]) {
        const code = `${POISONS}\nreturn [await run("${key}", ${args}), kept];`;
        const { text } = await agent.tool("execute", { code });
        hold(!text.includes("bobs-key"), `With ${args} it reads another user's key`);
      }
    },
  },
  {
    name: "a program that replaces the harness forges no oversized, foreign or emitted result",
    async run(world) {
      const { agent } = await newAgent(world);
      for (const [what, outcome] of Object.entries(FORGED)) {
        const code = `const { default: Harness } = await import("./harness.worker.js");
          Harness.prototype.invoke = async () => (${outcome});
          return "honest";`;
        for (let turn = 0; turn < 2; turn += 1) {
          const { status, text } = await agent.tool("execute", { code });
          hold(status < 500, `${what}: it got ${status} ${text.slice(0, 200)}`);
          hold(text.length < MAX_RESPONSE, `${what}: the response has ${text.length} characters`);
        }
      }
      await holdsService(world);
    },
  },
  {
    name: "a program with oversized results or arguments makes no oversized response",
    async run(world) {
      const { agent, tenant } = await newAgent(world);
      const key = await savedAction(tenant, {
        props: `text: { type: "string", optional: true }, size: { type: "integer", optional: true }`,
        code: `return this.size ? "x".repeat(this.size) : this.text?.length;`,
      });
      const small = await agent.tool("execute", { code: `return run("${key}", { text: "abc" })` });
      hold(small.content?.result === 3, `A small argument: ${small.text.slice(0, 300)}`);
      hold(small.content.calls[0].args.text === "abc", "Its calls lack the argument");
      for (const code of [
        `return "x".repeat(10_000_000)`,
        `const text = "x".repeat(500_000); for (let n = 0; n < 40; n += 1) await run("no-such-action", { text }).catch(() => {});`,
        `for (let n = 0; n < 40; n += 1) await run("x".repeat(250), { ["k".repeat(500_000)]: n }).catch(() => {});`,
        `for (let n = 0; n < 300; n += 1) console.log("x".repeat(100_000));`,
        `throw new Error("x".repeat(10_000_000))`,
        `return run("${key}", { size: 50_000_000 })`,
        `let deep = []; for (let n = 0; n < 100_000; n += 1) deep = [deep]; return deep;`,
      ]) {
        const { status, text } = await agent.tool("execute", { code }).catch((error: unknown) => {
          throw new Error(`${code}: ${String(error)}`);
        });
        hold(status === 200, `${code}: it got ${status} ${text.slice(0, 200)}`);
        hold(text.length < MAX_RESPONSE, `${code}: the response has ${text.length} characters`);
      }
      const { text } = await agent.tool("run", { action: key, args: { size: 50_000_000 } });
      hold(text.length < MAX_RESPONSE, `The result of an action has ${text.length} characters`);
      await holdsService(world);
    },
  },
  {
    name: "a program that outlives its response runs and sends nothing more",
    async run(world) {
      const { agent, tenant } = await newAgent(world);
      const source = await deploy(tenant, endpoint("this.$emit({})"));
      const key = await savedAction(tenant, {
        code: `await fetch("${source.url}", { method: "POST" });`,
      });
      const eventsOfSource = async () =>
        (await tenant.call("GET", `/sources/${source.id}/event_summaries`)).data.length;
      const timely = await agent.tool("execute", { code: `return run("${key}")` });
      hold(timely.content?.calls.length === 1, `In time: ${timely.text.slice(0, 300)}`);
      hold((await eventsOfSource()) === 1, "An action in time sends no event");
      const late = `setTimeout(() => { run("${key}"); fetch("${source.url}", { method: "POST" }); }, 200); return "ended";`;
      const { content } = await agent.tool("execute", { code: late });
      hold(content?.result === "ended" && content.calls.length === 0, "It did not end");
      await wait(1000);
      hold((await eventsOfSource()) === 1, "A program sent a request after its end");
    },
  },
];

/** The maximum characters of a response: the result twice, as text and as structured content, with escapes. */
const MAX_RESPONSE = 6_000_000;

/** Outcomes that a forged harness returns instead of its own. */
const FORGED: Record<string, string> = {
  "a result of 20 MB": `{ emitted: [], db: {}, logs: [], step: { exports: JSON.stringify({ $return_value: "x".repeat(2e7) }), sideEffects: [] } }`,
  "logs of 20 MB": `{ emitted: [], db: {}, logs: Array.from({ length: 5000 }, () => ({ level: "info", message: "x".repeat(4000), atMs: 1 })), step: { exports: "{}", sideEffects: [] } }`,
  "exports that are not JSON": `{ emitted: [], db: {}, logs: [], step: { exports: "}{", sideEffects: [] } }`,
  "exports that are a list": `{ emitted: [], db: {}, logs: [], step: { exports: "[1]", sideEffects: [] } }`,
  "no outcome": `null`,
  "events and messages": `{ emitted: [{ payload: "{}", emittedAtMs: 1 }], db: { a: "1" }, logs: [], step: { exports: "{}", sideEffects: [{ kind: "email", message: "{}" }] } }`,
  "a failure of 10 MB": `{ emitted: [], db: {}, logs: [], failure: { name: "x".repeat(1e7), message: "x".repeat(1e7), stack: "" } }`,
};
