import { createHmac, randomBytes } from "node:crypto";

import { formOf, json, jsonOf, routes } from "../fake.ts";
import type { Scenario } from "../scenario.ts";
import type { Stage } from "../stage.ts";

const JSON_TYPE = { "content-type": "application/json" };

function hmac(
  algorithm: "sha1" | "sha256",
  key: string,
  text: string,
  encoding: "hex" | "base64" = "hex",
): string {
  return createHmac(algorithm, key).update(text).digest(encoding);
}

/** Stripe: an endpoint with its own secret; `t` and `v1` over the raw body; the source rejects a forged one. */
async function stripe(stage: Stage): Promise<void> {
  const endpoints = new Map<string, { url?: string; secret: string }>();
  stage.serve(
    routes({
      "POST api.stripe.com/v1/webhook_endpoints": (request) => {
        const fields = formOf(request);
        const [id, secret] = [
          `we_${endpoints.size + 1}`,
          `whsec_${randomBytes(8).toString("hex")}`,
        ];
        stage.equal("the events", fields["enabled_events[0]"], "charge.succeeded");
        endpoints.set(id, { url: fields["url"] ?? "", secret });
        return json({ id, object: "webhook_endpoint", secret });
      },
      "DELETE api.stripe.com/v1/webhook_endpoints/:id": ({ params: { id = "" } }) =>
        json({ id, deleted: endpoints.delete(id) }),
    }),
  );
  await stage.deploy();
  const { url, secret = "" } = endpoints.get("we_1") ?? {};
  stage.equal("the endpoint", url, stage.endpoint);
  const event = { id: "evt_1", type: "charge.succeeded", created: 1_735_786_800 };
  const body = JSON.stringify(event, null, 2);
  const at = Math.floor(Date.now() / 1000);
  const signed = `t=${at},v1=${hmac("sha256", secret, `${at}.${body}`)}`;
  const accepted = await stage.push({
    body,
    headers: { ...JSON_TYPE, "stripe-signature": signed },
  });
  const forged = signed.replace(/.$/, signed.endsWith("0") ? "1" : "0");
  const refused = await stage.push({ body, headers: { ...JSON_TYPE, "stripe-signature": forged } });
  stage.equal("the responses", [accepted.status, refused.status], [200, 400]);
  stage.equal("the events", await stage.emitted(1), [event]);
  await stage.stop();
  stage.equal("remaining endpoints", endpoints.size, 0);
}

/** GitHub: a hook with a secret, a ping at once, `X-Hub-Signature-256`, and a duplicate delivery. */
async function github(stage: Stage): Promise<void> {
  type Hook = { config: { url: string; secret: string; content_type: string }; events: string[] };
  const hooks = new Map<string, Hook>();
  stage.serve(
    routes({
      "POST api.github.com/repos/:owner/:repo/hooks": (request) => {
        const hook = jsonOf<Hook>(request);
        hooks.set("1", hook);
        return json({ id: 1, ...hook, ping_url: "https://api.github.com/hooks/1/pings" }, 201);
      },
      "DELETE api.github.com/repos/:owner/:repo/hooks/:id": ({ params: { id = "" } }) => ({
        status: hooks.delete(id) ? 204 : 404,
      }),
    }),
  );
  await stage.deploy({ repo: "ada/engine" });
  const { config, events } = hooks.get("1") ?? {};
  stage.equal(
    "the hook",
    [config?.url, config?.content_type, events],
    [stage.endpoint, "json", ["issues"]],
  );
  const deliver = (name: string, id: string, payload: unknown) => {
    const body = JSON.stringify(payload);
    const signature = `sha256=${hmac("sha256", config?.secret ?? "", body)}`;
    const headers = { ...JSON_TYPE, "x-github-event": name, "x-github-delivery": id };
    return stage.push({ body, headers: { ...headers, "x-hub-signature-256": signature } });
  };
  await deliver("ping", "1", { zen: "Design for failure.", hook_id: 1 });
  const issue = { action: "opened", issue: { number: 3, title: "Späße" } };
  await deliver("issues", "2", issue);
  await deliver("issues", "2", issue);
  stage.equal("the events", await stage.emitted(1), [issue]);
  await stage.stop();
  stage.equal("remaining hooks", hooks.size, 0);
}

/** Slack: a challenge verifies the URL; each event has a signature over its time. */
async function slackEvents(stage: Stage): Promise<void> {
  stage.serve(routes({}));
  await stage.deploy();
  const deliver = (payload: unknown, key: string, at = Math.floor(Date.now() / 1000)) => {
    const body = JSON.stringify(payload);
    const signature = `v0=${hmac("sha256", key, `v0:${at}:${body}`)}`;
    const headers = { ...JSON_TYPE, "x-slack-request-timestamp": String(at) };
    return stage.push({ body, headers: { ...headers, "x-slack-signature": signature } });
  };
  const challenge = "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P";
  const verified = await deliver({ type: "url_verification", challenge }, "signing-1");
  stage.equal("the challenge", verified, { status: 200, text: challenge });
  const event = {
    type: "message",
    channel: "C1",
    user: "U1",
    text: "hello",
    ts: "1735786800.000100",
  };
  const callback = { type: "event_callback", event_id: "Ev1", event };
  const responses = [
    await deliver(callback, "signing-1"),
    await deliver(callback, "another"),
    await deliver(callback, "signing-1", 1_000_000),
  ];
  stage.equal(
    "the responses",
    responses.map(({ status }) => status),
    [200, 401, 401],
  );
  stage.equal("the events", await stage.emitted(1), [event]);
}

/** Shopify's scheme: base64 of an HMAC over the raw body, with a response within the request. */
async function base64Signature(stage: Stage): Promise<void> {
  const topics = new Map<string, { topic: string; address: string }>();
  stage.serve(
    routes({
      "POST shop.example/admin/api/2024-10/webhooks.json": (request) => {
        const { webhook } = jsonOf<{ webhook: { topic: string; address: string } }>(request);
        topics.set("5", webhook);
        return json({ webhook: { id: 5, ...webhook } }, 201);
      },
      "DELETE shop.example/admin/api/2024-10/webhooks/:file": ({ params: { file = "" } }) =>
        json({}, topics.delete(file.replace(".json", "")) ? 200 : 404),
    }),
  );
  await stage.deploy();
  stage.equal("the hook", topics.get("5"), { topic: "orders/create", address: stage.endpoint });
  const body = JSON.stringify({ id: 820_982_911, total_price: "19.00", note: "£ ✓" });
  const signature = hmac("sha256", "hush", body, "base64");
  const headers = {
    ...JSON_TYPE,
    "x-shop-hmac-sha256": signature,
    "x-shop-topic": "orders/create",
  };
  const { status } = await stage.push({ body, headers });
  stage.equal("the response", status, 200);
  stage.equal("the events", await stage.emitted(1), [JSON.parse(body)]);
  await stage.stop();
  stage.equal("remaining hooks", topics.size, 0);
}

/** A subscriber proves by GET that it owns the address (`hub.challenge`), while it subscribes. */
async function hubChallenge(stage: Stage): Promise<void> {
  const challenge = randomBytes(8).toString("hex");
  let subscriptions = 0;
  stage.serve(
    routes({
      "POST hub.example/subscriptions": async (request) => {
        const { callback = "", verify_token = "" } = formOf(request);
        const query = new URLSearchParams({
          "hub.mode": "subscribe",
          "hub.challenge": challenge,
          "hub.verify_token": verify_token,
        });
        const response = await fetch(`${callback}?${query.toString()}`);
        const echoed = await response.text();
        if (echoed !== challenge)
          return json({ error: `callback returned ${response.status} ${echoed}` }, 400);
        subscriptions += 1;
        return json({ id: subscriptions }, 201);
      },
      "DELETE hub.example/subscriptions/:id": () => {
        subscriptions -= 1;
        return { status: 204 };
      },
    }),
  );
  await stage.deploy();
  const event = { object: "activity", aspect: "create", id: 12 };
  await stage.push({ body: JSON.stringify(event), headers: JSON_TYPE });
  stage.equal("the events", await stage.emitted(1), [event]);
  await stage.stop();
  stage.equal("remaining subscriptions", subscriptions, 0);
}

export const SIGNATURES: Scenario[] = [
  {
    protocol: "Stripe signatures",
    component: "components/stripe_like/sources/new-charge/new-charge.mjs",
    credentials: { api_key: "sk_test_1" },
    play: stripe,
  },
  {
    protocol: "GitHub hooks",
    component: "components/github_like/sources/new-issue/new-issue.mjs",
    credentials: { oauth_access_token: "gho_1" },
    play: github,
  },
  {
    protocol: "Slack url_verification",
    component: "components/slack_like/sources/new-message/new-message.mjs",
    credentials: { signing_secret: "signing-1" },
    play: slackEvents,
  },
  {
    protocol: "base64 HMAC",
    component: "components/shop/sources/new-order/new-order.mjs",
    credentials: { access_token: "shpat_1", shared_secret: "hush" },
    play: base64Signature,
  },
  {
    protocol: "hub.challenge",
    component: "components/hub/sources/new-activity/new-activity.mjs",
    credentials: { api_key: "key-1" },
    play: hubChallenge,
  },
];
