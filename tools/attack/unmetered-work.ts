import { createServer } from "node:http";
import { setTimeout as wait } from "node:timers/promises";

import { lingering } from "./lingering.ts";
import {
  type Attack,
  deploy,
  endpoint,
  eventsOf,
  hold,
  holdWithin,
  newTenant,
  operate,
  send,
  type Tenant,
  type World,
} from "./world.ts";

/** The maximum number of runs that one trigger may cause. */
const CHAIN_BUDGET = 10_000;

/** The number of hops after which an event is dropped. */
const MAX_HOPS = 16;

async function invocations(tenant: Tenant): Promise<number> {
  const { data } = await tenant.call("GET", "/users/me");
  hold(
    data?.daily_invocations_used !== undefined,
    "The API does not return the user's number of runs",
  );
  return data.daily_invocations_used;
}

/** A server that responds after a second and a half. */
async function startSlowTarget() {
  let count = 0;
  const server = createServer((_, response) => {
    count += 1;
    setTimeout(() => response.end("late"), 1500);
  });
  await new Promise<void>((listening) => {
    server.listen(0, "127.0.0.1", listening);
  });
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}/`,
    arrivals: () => count,
    close: () => server.close(),
  };
}

/** A URL of the proxy that sends requests with an account of a tenant's external user. */
async function proxyUrl(world: World, tenant: Tenant, target: string): Promise<string> {
  const app = `app_${crypto.randomUUID().slice(0, 8)}`;
  await operate(world, "PUT", `/apps/${app}`, {
    auth_type: "keys",
    fields: [{ name: "api_key" }],
    request: { base_url: target, headers: { "x-api-key": "{{api_key}}" } },
  });
  const project = JSON.parse(
    (await tenant.call("POST", "/connect/projects", { name: "Shop" })).text,
  );
  const base = `/connect/${project.id}`;
  const token = await tenant.call("POST", `${base}/tokens`, { external_user_id: "one" });
  const account = await tenant.call("POST", `${base}/accounts`, {
    app_slug: app,
    connect_token: JSON.parse(token.text).token,
    cfmap_json: JSON.stringify({ api_key: "k" }),
  });
  const { id } = JSON.parse(account.text);
  hold(id, `The API created no account: ${account.text}`);
  const query = `external_user_id=one&account_id=${id}`;
  return `${world.origin}/v1${base}/proxy/${encodeURIComponent(btoa(target))}?${query}`;
}

/** Send a request, and close its connection once it has had an effect. */
async function hangUp(
  url: string,
  key: string,
  body: object,
  hasBegun: () => boolean,
): Promise<void> {
  const caller = new AbortController();
  const ended = fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: caller.signal,
  }).then(
    ({ status }) => status,
    () => undefined,
  );
  await holdWithin(20_000, async () => hasBegun(), "The request had no effect");
  caller.abort();
  const status = await ended;
  hold(status === undefined, `The request got ${status} before its caller hung up`);
}

/** A component requests its own endpoint by a hostname of the platform on the loopback interface. */
function roundTrips(host: string): Attack {
  return {
    name: `requests to a source's own endpoint at ${host} do not loop forever`,
    async run(world) {
      const eve = await newTenant(world);
      const origin = `http://${host}:${new URL(world.origin).port}`;
      const { id, url } = await deploy(
        eve,
        endpoint(
          `this.$emit({}); await (await fetch("${origin}" + event.url.slice(event.url.indexOf("/e/")), { method: "POST" })).text();`,
        ),
      );
      await send(url, { method: "POST", body: {} });
      await wait(6000);
      const { length } = await eventsOf(eve, id);
      await eve.call("DELETE", `/sources/${id}`);
      hold(length <= MAX_HOPS + 2, `One request caused ${length} runs`);
    },
  };
}

export const unmeteredWork: Attack[] = [
  lingering("waitUntil", `import { waitUntil } from "cloudflare:workers";`, "waitUntil(work);"),
  lingering("work without an awaiting caller", "", ""),
  lingering(
    "a captured function of the runtime",
    `import { AsyncLocalStorage } from "node:async_hooks"; const outside = AsyncLocalStorage.snapshot();`,
    `const { endTap } = await import(["./runtime-tap", "worker", "js"].join("."));
     endTap()?.waitUntil(outside(async () => { for (let n = 0; n < 100; n += 1) {
       await fetch("TARGET/" + n); await new Promise((done) => setTimeout(done, 200)); } }));`,
  ),
  roundTrips("127.0.0.1"),
  roundTrips("[::ffff:127.0.0.1]"),
  {
    name: "a component forges neither hops nor the budget of its requests",
    async run(world) {
      const eve = await newTenant(world);
      const path = `"${world.origin}" + event.url.slice(event.url.indexOf("/e/"))`;
      const headers = `{ "x-wellspring-hops": "0", "x-wellspring-budget": "10000", "x-wellspring-depth": "0" }`;
      const { id, url } = await deploy(
        eve,
        endpoint(
          `this.$emit({}); await (await outside(() => fetch(${path}, { method: "POST", headers: ${headers} }))).text();`,
          {
            imports: `import { AsyncLocalStorage } from "node:async_hooks"; const outside = AsyncLocalStorage.snapshot();`,
          },
        ),
      );
      await send(url, { method: "POST", body: {} });
      await wait(6000);
      const { length } = await eventsOf(eve, id);
      await eve.call("DELETE", `/sources/${id}`);
      hold(length > 0 && length <= MAX_HOPS + 2, `One request caused ${length} runs`);
    },
  },
  {
    name: "one trigger causes no more runs than its budget",
    async run(world) {
      const eve = await newTenant(world, "free");
      const emitter = await deploy(
        eve,
        endpoint("for (let n = 0; n < 12_000; n += 1) this.$emit(n);"),
      );
      const listener = await deploy(
        eve,
        `export default { name: "L", version: "0.0.1", run() {} }`,
      ).catch(() => deploy(eve, endpoint("")));
      await eve.call("POST", "/subscriptions", {
        emitter_id: emitter.id,
        listener_id: listener.id,
      });
      await send(emitter.url, { method: "POST", body: {} });
      let [count, quietMs] = [0, 0];
      for (let ms = 0; ms < 25_000 && quietMs < 5000; ms += 500) {
        await wait(500);
        const now = await invocations(eve);
        quietMs = now === count ? quietMs + 500 : 0;
        count = now;
      }
      await eve.call("DELETE", `/sources/${emitter.id}`);
      await eve.call("DELETE", `/sources/${listener.id}`);
      hold(count <= CHAIN_BUDGET + 1, `It led to ${count} runs`);
    },
  },
  {
    name: "an exhausted quota stops options and hooks as well as runs",
    async run(world) {
      const eve = await newTenant(world);
      const code = `export default { name: "O", version: "0.0.1", type: "source",
        props: { http: "$.interface.http", list: { type: "string", optional: true, options: () => ["a"] } }, run() {} }`;
      const saved = await eve.call("POST", "/components", { component_code: code });
      const source = await deploy(eve, code);
      await operate(world, "PUT", `/users/${eve.id}/quotas`, {
        daily_invocations_quota: 1,
        daily_credits_quota: 1,
        daily_compute_time_quota: 1,
      });
      for (let n = 0; n < 3; n += 1) await send(source.url, { method: "POST", body: {} });
      await wait(6000);
      const run = await send(source.url, { method: "POST", body: {} });
      hold(run.status === 429, `A run got ${run.status}`);
      const options = await eve.call("POST", `/components/${saved.data.id}/options`, {
        prop_name: "list",
        configured_props: {},
      });
      hold(
        options.status === 429,
        `options() got ${options.status}: ${options.text.slice(0, 100)}`,
      );
      const evaluation = await eve.call("POST", "/sources", { component_code: `${code}// new` });
      hold(evaluation.status === 429, `A deploy got ${evaluation.status}`);
    },
  },
  {
    name: "a caller that hangs up pays for the requests and actions that it caused",
    async run(world) {
      const eve = await newTenant(world, "free");
      const target = await startSlowTarget();
      try {
        const urls = [await proxyUrl(world, eve, target.url), `${world.origin}/v1/actions/run`];
        const action = `export default { name: "A", version: "0.0.1", type: "action",
          async run() { await fetch("${target.url}"); } };`;
        for (const url of urls) {
          const arrivals = target.arrivals();
          await hangUp(
            url,
            eve.key,
            { component_code: action },
            () => target.arrivals() > arrivals,
          );
        }
        await holdWithin(
          10_000,
          async () => (await invocations(eve)) === urls.length,
          "Requests sent for a caller that hung up were not metered",
        );
      } finally {
        target.close();
      }
    },
  },
];
