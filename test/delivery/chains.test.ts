import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { BUDGET_HEADER, DEPTH_HEADER, MAX_NESTED } from "#domain/chains.ts";
import { HOPS_HEADER } from "#domain/deliveries.ts";
import type { Id } from "#domain/ids.ts";

import { signUp } from "../support/client.ts";
import { eventsOf, send, sendJson } from "../support/deploy.ts";
import { pendingWork } from "../support/source-tables.ts";

type Client = Awaited<ReturnType<typeof signUp>>;

const twice = (next: string) => `export default { name: "Twice", version: "1",
  props: { http: "$.interface.http" },
  run() { this.$emit(1, { name: "${next}" }); this.$emit(2, { name: "${next}" }) } }`;

async function deploy(client: Client, code: string) {
  const { body } = await client.post("/sources", { component_code: code });
  const url = body.data.configured_props["http"]?.endpoint_url as string;
  const id = body.data.id as Id<"source">;
  return { id, url, stub: env.SOURCES.getByName(id) };
}

type Source = Awaited<ReturnType<typeof deploy>>;

/** The number of runs of a client's only sources, after none of theirs is pending. */
async function runsOf(client: Client, sources: Source[]): Promise<number> {
  const none = sources.map(() => 0);
  let [before, now] = [-1, 0];
  // An event may pass from one source to the other between two checks, but then it is run.
  while (now === 0 || now !== before) {
    before = now;
    const pending = () => Promise.all(sources.map(({ stub }) => pendingWork(stub)));
    await expect.poll(pending, { timeout: 30_000 }).toEqual(none);
    // The alarm reports the runs.
    for (const { stub } of sources) await runDurableObjectAlarm(stub);
    now = (await client.get("/users/me")).body.data.daily_invocations_used;
  }
  return now;
}

const hasLogged = async (
  { stub }: Pick<Awaited<ReturnType<typeof deploy>>, "stub">,
  text: string,
) => JSON.stringify(await eventsOf(stub, "$logs")).includes(text);

test("two emits per hop end at the budget of their trigger, with a log line", async () => {
  const ada = await signUp();
  const [ping, pong] = [await deploy(ada, twice("there")), await deploy(ada, twice("back"))];
  const [there, back] = ["there", "back"];
  await ada.post("/subscriptions", {
    emitter_id: ping.id,
    listener_id: pong.id,
    event_name: there,
  });
  await ada.post("/subscriptions", {
    emitter_id: pong.id,
    listener_id: ping.id,
    event_name: back,
  });
  await send(ping.url, { headers: { [BUDGET_HEADER]: "200" } });
  const runs = await runsOf(ada, [ping, pong]);
  expect(runs).toBeLessThanOrEqual(200);
  expect(runs).toBeGreaterThan(100);
  const logged = [
    await hasLogged(ping, "has reached the maximum of"),
    await hasLogged(pong, "has reached the maximum of"),
  ];
  expect(logged).toContain(true);
});

test("counts a component's requests to its own endpoint as hops, whatever their headers", async () => {
  const ada = await signUp();
  const looping = await deploy(
    ada,
    `export default { name: "Loop", version: "1",
    props: { http: "$.interface.http" },
    async run({ headers }) {
      console.log("hop " + (headers["${HOPS_HEADER}"] ?? 0) + " depth " + (headers["${DEPTH_HEADER}"] ?? 0));
      const init = { method: "POST", headers: { "${HOPS_HEADER}": "0", "${DEPTH_HEADER}": "0", "${BUDGET_HEADER}": "10000" } };
      const answer = await fetch(new Request(this.http.endpoint, init));
      if (answer.status !== 200) console.log("ended by " + answer.status);
      await answer.text();
    } }`,
  );
  await sendJson(looping.url, {});
  await expect.poll(() => hasLogged(looping, "ended by 508"), { timeout: 15_000 }).toBe(true);
  const lines = (await eventsOf(looping.stub, "$logs")).map(
    ({ event }) => (event as { message: string }).message,
  );
  // The budget is halved at each hop, and ends shortly before the hops do.
  const hops = lines.filter((line) => line.startsWith("hop "));
  expect(hops.length).toBeGreaterThan(10);
  expect(hops.length).toBeLessThanOrEqual(16);
  // A request beyond the maximum depth runs separately, and its depth restarts.
  const depthAt = (hop: number) => (hop === 0 ? 0 : ((hop - 1) % (MAX_NESTED + 1)) + 1);
  const expected = hops.map((_, hop) => `hop ${hop} depth ${depthAt(hop)}`);
  expect(hops.toSorted()).toEqual(expected.toSorted());
});

const forging = (forgery: string) => `
  import { AsyncLocalStorage } from "node:async_hooks";
  const outside = AsyncLocalStorage.snapshot();
  const CONTEXT = "./context.worker" + ".js";
  const forged = { method: "POST", headers: { "${HOPS_HEADER}": "0", "${DEPTH_HEADER}": "0", "${BUDGET_HEADER}": "10000" } };
  export default { name: "Forger", version: "1",
  props: { http: "$.interface.http" },
  async run({ headers, query: { first } }) {
    if (!first) return this.$emit([headers["${HOPS_HEADER}"], headers["${BUDGET_HEADER}"], headers["${DEPTH_HEADER}"]]);
    const endpoint = this.http.endpoint;
    const answer = ${forgery};
    console.log("answered by " + answer.status);
  } }`;

test.each([
  ["sent outside of any call", "await outside(() => fetch(endpoint, forged))"],
  [
    "sent for a call that the component changed",
    `await (async () => {
      const { current } = await import(CONTEXT);
      Object.assign(current.getStore().call, { origins: [] });
      return fetch(endpoint, forged);
    })()`,
  ],
])("a request that is %s triggers no run, whatever its headers", async (_, forgery) => {
  const ada = await signUp();
  const forger = await deploy(ada, forging(forgery));
  await send(`${forger.url}?first=1`);
  await expect.poll(() => hasLogged(forger, "answered by 508"), { timeout: 15_000 }).toBe(true);
  expect(await eventsOf(forger.stub)).toEqual([]);
});

test("a component that calls the host of its run passes the cause of that run", async () => {
  const ada = await signUp();
  const forgery = `await (async () => {
    const { current } = await import(CONTEXT);
    return current.getStore().host.fetch(new Request(endpoint, forged), { hops: 0, budget: 10_000 });
  })()`;
  const { url, stub } = await deploy(ada, forging(forgery));
  await send(`${url}?first=1`, { headers: { [HOPS_HEADER]: "9", [BUDGET_HEADER]: "41" } });
  await expect.poll(() => eventsOf(stub), { timeout: 15_000 }).toHaveLength(1);
  expect((await eventsOf(stub)).map(({ event }) => event)).toEqual([["10", "20", "1"]]);
});

test("a request to the platform behaves like any other for its component", async () => {
  const ada = await signUp();
  const { url } = await deploy(
    ada,
    `export default { name: "Client", version: "1",
    props: { http: { type: "$.interface.http", customResponse: true } },
    async run({ query, bodyRaw }) {
      if (query.inner) return this.http.respond({ status: 201, headers: { "x-a": "b" }, body: "seen: " + bodyRaw });
      const { endpoint } = this.http;
      const body = new Blob(["a ", "stream"]).stream();
      const { signal } = new AbortController();
      const answer = await fetch(endpoint + "?inner=1", { method: "POST", body, signal, duplex: "half" });
      const seen = [answer.url === endpoint + "?inner=1", answer.status, answer.headers.get("x-a"), await answer.text()];
      const late = await fetch(endpoint + "?inner=1", { signal: AbortSignal.abort() }).catch(({ name }) => name);
      console.log(late);
      this.http.respond({ status: 200, body: [...seen, late] });
    } }`,
  );
  const answer = await send(url);
  expect(await answer.json()).toEqual([true, 201, "b", "seen: a stream", "AbortError"]);
});

test("components may wait for each other's responses as deep as Cloudflare allows", async () => {
  const ada = await signUp();
  const { url } = await deploy(
    ada,
    `export default { name: "Waiting", version: "1",
    props: { http: { type: "$.interface.http", customResponse: true } },
    async run() {
      const answer = await fetch(this.http.endpoint, { method: "POST" });
      this.http.respond({ status: 200, body: "waited for: " + (await answer.text()) });
    } }`,
  );
  const answer = await (await send(url)).text();
  const [deepest = "", ...waiting] = answer.split("waited for: ").toReversed();
  expect(waiting).toEqual(["", "", "", ""]);
  expect(JSON.parse(deepest)).toEqual({
    error:
      "At most 3 requests of components may be nested: emit an event instead, which resets the depth",
    code: "loop_detected",
  });
});

test("a redirected request takes its own share of the budget", async () => {
  const ada = await signUp();
  const { url, stub } = await deploy(
    ada,
    `export default { name: "Moving", version: "1",
    props: { http: { type: "$.interface.http", customResponse: true } },
    async run({ query, headers, method, bodyRaw }) {
      if (query.status === undefined) {
        const init = { method: "POST", body: "all of it" };
        const moved = await fetch(this.http.endpoint + "?status=307", init);
        const seen = await fetch(this.http.endpoint + "?status=303", init);
        const answers = [moved.redirected, await moved.text(), seen.redirected, await seen.text()];
        return this.http.respond({ status: 200, body: answers });
      }
      this.$emit({ budget: Number(headers["${BUDGET_HEADER}"]) });
      if (query.status === "200") return this.http.respond({ status: 200, body: method + " " + bodyRaw });
      const location = this.http.endpoint + "?status=200";
      this.http.respond({ status: Number(query.status), headers: { location }, body: "" });
    } }`,
  );
  const answers = await (await send(url, { headers: { [BUDGET_HEADER]: "1025" } })).json();
  expect(answers).toEqual([true, "POST all of it", true, "GET "]);
  await expect.poll(() => eventsOf(stub), { timeout: 15_000 }).toHaveLength(4);
  const shares = (await eventsOf(stub)).map(({ event }) => (event as { budget: number }).budget);
  expect(shares.toSorted((a, b) => b - a)).toEqual([512, 128, 48, 21]);
});

test("multiplying requests end at the budget of their trigger", async () => {
  const ada = await signUp();
  const fork = await deploy(
    ada,
    `export default { name: "Fork", version: "1",
    props: { http: "$.interface.http" },
    async run() {
      for (const _ of [1, 2, 3]) await (await fetch(this.http.endpoint, { method: "POST" })).text();
    } }`,
  );
  await send(fork.url, { headers: { [BUDGET_HEADER]: "200" } });
  const runs = await runsOf(ada, [fork]);
  expect(runs).toBeLessThanOrEqual(200);
  expect(runs).toBeGreaterThan(50);
});

test("a run through the API continues the chain of its cause", async () => {
  const ada = await signUp();
  const { id } = await deploy(ada, twice("none"));
  const headers = { [HOPS_HEADER]: "16" };
  const { status, body } = await ada.post(`/sources/${id}/run`, {}, headers);
  expect([status, body.code]).toEqual([508, "loop_detected"]);
  const deep = { [DEPTH_HEADER]: String(MAX_NESTED + 1) };
  const refused = await ada.post(`/sources/${id}/run`, {}, deep);
  expect([refused.status, refused.body.error]).toEqual([508, expect.stringMatching("At most 3")]);
});
