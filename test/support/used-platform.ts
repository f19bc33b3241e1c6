import { text } from "node:stream/consumers";

import { expect, vi } from "vitest";

import { call, type DeployedSource, endpointOf } from "../../tools/scripts/api.ts";
import type { RunningPlatform } from "../../tools/scripts/platform.ts";
import { archiveOf } from "./archive.ts";
import { serve } from "./serve.ts";

/** It counts in `$.service.db`, has a secret and an account, and emits its number of activations. */
const COUNTER = `export default {
  name: "Counter", version: "0.0.1",
  props: {
    http: { type: "$.interface.http", customResponse: true },
    db: "$.service.db",
    token: { type: "string", secret: true },
    tea: { type: "app", app: "tea" },
  },
  hooks: {
    async deploy() { this.db.set("deployed", (this.db.get("deployed") ?? 0) + 1); },
    async activate() { this.db.set("activated", (this.db.get("activated") ?? 0) + 1); },
  },
  run({ body }) {
    const count = (this.db.get("count") ?? 0) + 1;
    this.db.set("count", count);
    const { token, tea, db } = this;
    const emitted = { count, token, key: tea.$auth.key, deployed: db.get("deployed"), activated: db.get("activated") };
    this.$emit(emitted);
    this.http.respond({ status: 200, body: emitted });
  },
};`;

const TIMER = `export default {
  name: "Timer", version: "0.0.1", props: { timer: "$.interface.timer" },
  run() { this.$emit({ ticked: true }); },
};`;

const STEP = `export default { name: "step", version: "0.0.1", type: "action",
  props: { token: { type: "string", secret: true } },
  run() { return { token: this.token }; } };`;

const operatorOf = ({ url, adminToken }: RunningPlatform) => ({
  url: url.replace(/v1$/, "admin"),
  apiKey: adminToken,
});

/** The receiver of the platform's webhook. */
export async function receiver() {
  const received: { headers: Record<string, string>; body: string }[] = [];
  const { origin, close } = await serve(async (request, response) => {
    const body = await text(request);
    received.push({ headers: request.headers as Record<string, string>, body });
    response.end();
  });
  return { received, url: origin, close };
}

export async function trigger<T>(url: string, body: object = {}): Promise<T> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect([response.status, url]).toEqual([200, url]);
  const parsed: T = JSON.parse((await response.text()) || "null");
  return parsed;
}

/** The response and event of `fill`'s counter. */
export type CounterResponse = {
  count: number;
  token: string;
  key: string;
  deployed: number;
  activated: number;
};

/** The key of the component that `fill` imports: it is built on first use. */
export const IMPORTED = "shelf-listen";

const COLLECTION = {
  "components/shelf/words.mjs": `export default "imported";`,
  "components/shelf/sources/listen/listen.mjs": `import word from "../../words.mjs";
    export default { key: "${IMPORTED}", name: "Listen", version: "0.0.1", type: "source",
      props: { http: { type: "$.interface.http", customResponse: true } },
      run() { this.http.respond({ status: 200, body: { word } }); } };`,
};

/** Import a collection into the registry of a user. */
async function importCollection(user: { url: string; apiKey: string }): Promise<void> {
  const { id } = await call<{ id: string }>(user, "/registry/imports", {});
  const response = await fetch(`${user.url}/registry/imports/${id}/archive`, {
    method: "PUT",
    headers: { authorization: `Bearer ${user.apiKey}`, "content-type": "application/gzip" },
    body: await archiveOf(COLLECTION),
  });
  expect(response.status).toBe(200);
  await vi.waitFor(
    async () =>
      expect(await call(user, `/registry/imports/${id}`)).toMatchObject({
        state: "ended",
        counts: { published: 1 },
      }),
    { timeout: 30_000, interval: 200 },
  );
}

/** Use a platform: a source with state, secret and account, an inactive one, a webhook and a workflow. */
export async function fill(platform: RunningPlatform, hook: string) {
  const operator = operatorOf(platform);
  const user = await call<{ id: string; api_key: string }>(operator, "/users", {
    username: "ada",
    email: "ada@example.com",
    plan: "free",
  });
  const ada = { url: platform.url, apiKey: user.api_key };
  const account = await call<{ id: string }>(operator, "/accounts", {
    owner_id: user.id,
    app: "tea",
    name: "Ada's",
    credentials: { key: "of the account" },
  });
  const counter = await call<DeployedSource>(ada, "/sources", {
    component_code: COUNTER,
    configured_props: { token: "of the source", tea: { authProvisionId: account.id } },
  });
  const off = await call<DeployedSource>(ada, "/sources", {
    component_code: TIMER,
    name: "off",
    configured_props: { timer: { intervalSeconds: 3600 } },
  });
  await call(ada, `/sources/${off.id}`, { active: false }, "PUT");
  const webhook = await call<{ id: string; signing_secret: string }>(ada, "/webhooks", {
    url: hook,
  });
  await call(ada, "/subscriptions", { emitter_id: counter.id, listener_id: webhook.id });
  const workflow = await call<{ id: string; trigger: { endpoint_url: string } }>(
    operator,
    "/workflows",
    {
      owner_id: user.id,
      name: "Flow",
      trigger: { type: "http" },
      steps: [
        { name: "secret", component_code: STEP, props: { token: "of the step" } },
        {
          name: "last",
          component_code:
            "export default { run({ $, steps }) { $.respond({ status: 200, body: steps.secret.$return_value }); } }",
        },
      ],
    },
  );
  await importCollection(ada);
  const store = await call<{ id: string }>(ada, "/data_stores", { name: "kept" });
  await call(ada, `/data_stores/${store.id}/records/tea`, { value: { grams: 5 } }, "PUT");
  await call(ada, `/data_stores/${store.id}/records/later`, { value: 1, ttl: 3600 }, "PUT");
  await trigger(endpointOf(counter));
  await trigger(endpointOf(counter));
  return { ada, store, counter, off, webhook, workflow };
}
