import { env, exports } from "cloudflare:workers";
import { expect, inject, test } from "vitest";

import { remoteFile } from "#bundler/remote-file.ts";
import { exchange } from "#durable-objects/account/exchange.ts";
import { transmit } from "#durable-objects/webhook/attempt.ts";
import { networkFetch, networkOf } from "#sandbox/egress/network.ts";

import { deploy, eventsOf, sendJson } from "../support/deploy.ts";

const network = () => networkOf(exports.default, env);
const edge = (code: string) => `${inject("httpServer")}/edge/${code}`;
const { host } = new URL(inject("httpServer"));

test.for([
  ["1016", "ENOTFOUND", "getaddrinfo ENOTFOUND 127.0.0.1"],
  ["1003", "EACCES", `connect EACCES ${host}`],
  ["521", "ECONNREFUSED", `connect ECONNREFUSED ${host}`],
  ["522", "ETIMEDOUT", `connect ETIMEDOUT ${host}`],
  ["523", "EHOSTUNREACH", `connect EHOSTUNREACH ${host}`],
  ["524", "ETIMEDOUT", `connect ETIMEDOUT ${host}`],
  ["525", "ERR_TLS_HANDSHAKE_FAILED", `TLS handshake failed with ${host}`],
  ["526", "ERR_TLS_HANDSHAKE_FAILED", `TLS handshake failed with ${host}`],
] as const)("Cloudflare's error %s is Node's error %s", async ([answer, code, message]) => {
  const failure = networkFetch(new Request(edge(answer)), network());
  await expect(failure).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
});

test.for([
  ["522-ray", 522, "error code: 522"],
  ["521-page", 521, "error code: 521"],
  ["1016-page", 530, "error code: 1016"],
  ["520", 520, "error code: 520"],
  ["530", 530, "error code: 530"],
  ["403", 403, "error code: 403"],
] as const)("the response %s of a target behind Cloudflare is returned whole", async (expected) => {
  const [answer, status, text] = expected;
  const response = await networkFetch(new Request(edge(answer)), network());
  expect([response.status, await response.text()]).toEqual([status, text]);
});

test("a component gets Node's errors for the names and origins that Cloudflare does not reach", async () => {
  const source = await deploy(`
    import { get } from "node:http";
    const status = (url) => fetch(url).then(({ status }) => status, ({ code }) => code);
    const got = (url) => new Promise((resolve) =>
      get(url, ({ statusCode }) => resolve(statusCode)).on("error", ({ code }) => resolve(code)));
    export default { props: { http: "$.interface.http" }, async run({ body }) {
      for (const url of body) this.$emit([await status(url), await got(url)]);
    } }`);
  await sendJson(source.url, ["1016", "521", "522", "522-ray"].map(edge));
  const events = await eventsOf(source.stub);
  expect(events.map(({ event }) => event).toReversed()).toEqual([
    ["ENOTFOUND", "ENOTFOUND"],
    ["ECONNREFUSED", "ECONNREFUSED"],
    ["ETIMEDOUT", "ETIMEDOUT"],
    [522, 522],
  ]);
});

test("an attempt of a webhook has no status if Cloudflare does not reach the receiver", async () => {
  const secrets = [`whsec_${btoa("0123456789abcdef0123456789abcdef")}`];
  const target = { url: edge("1016"), secrets, timeoutMs: 5000 };
  const message = { id: "m", body: "{}", headers: {} };
  const { attempt } = await transmit(message, target, network());
  expect(attempt).toMatchObject({
    status: null,
    error: expect.stringContaining("ENOTFOUND"),
  });
});

test("a token server that Cloudflare does not reach is tried again", async () => {
  const client = {
    tokenUrl: edge("1003"),
    clientId: "a",
    clientSecret: "b",
    authentication: "body",
  } as const;
  expect(await exchange(client, "refresh", network())).toMatchObject({
    ok: false,
    isFinal: false,
    reason: "the token server could not be reached",
  });
});

test("a file on a host that Cloudflare does not reach does not respond", async () => {
  const url = new URL(edge("1016"));
  const reason = `${url.href} does not respond`;
  expect(await remoteFile(url, { allowPrivate: true })).toEqual({
    found: false,
    upstream: true,
    reason,
  });
});
