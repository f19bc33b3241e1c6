import { env, exports } from "cloudflare:workers";
import { Webhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { expect, test } from "vitest";

import { newSigningSecret } from "#domain/signature.ts";
import { send } from "#durable-objects/webhook/attempt.ts";
import { networkOf } from "#sandbox/egress/network.ts";

import { stopClock } from "../support/clock.ts";
import { deploy, eventsOf } from "../support/deploy.ts";
import { storedResponseLength } from "../support/webhook-tables.ts";
import {
  deliveriesOf,
  newDelivery,
  newReceiver,
  newWebhook,
  passTime,
} from "../support/webhook.ts";

const network = networkOf(exports.default, env);

function attempt(url: string, timeoutMs = 5000) {
  const target = { url, secrets: [newSigningSecret()], timeoutMs };
  return send({ ...newDelivery(), attempt: 1 }, target, network);
}

test("a delivery's body is the event itself, with headers that identify it", async () => {
  const { stub, received, signingSecret } = await newWebhook({ status: 204 });
  const delivery = newDelivery({ payload: `{"hello": "wörld"}`, eventName: "orders" });
  await stub.take([delivery]);
  await expect.poll(received).toHaveLength(1);
  const [{ headers, body } = { headers: {}, body: "" }] = await received();
  expect(body).toBe(delivery.payload);
  expect(headers).toMatchObject({
    "content-type": "application/json",
    "user-agent": "Wellspring-Webhooks/1",
    "webhook-id": delivery.emitId,
    "x-wellspring-emitter-id": "dc_emitter",
    "x-wellspring-event-name": "orders",
    "x-wellspring-event-id": delivery.eventId,
    "x-wellspring-attempt": "1",
  });
  expect(signingSecret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  for (const receiver of [new Webhook(signingSecret), new SvixWebhook(signingSecret)])
    expect(receiver.verify(body, headers)).toEqual({ hello: "wörld" });
});

test("a successful delivery is listed with its attempt", async () => {
  const { stub } = await newWebhook({ status: 201, body: "thanks" });
  const delivery = newDelivery();
  await stub.take([delivery]);
  await expect
    .poll(() => deliveriesOf(stub))
    .toEqual([
      {
        id: `dlv_${delivery.eventId}_dc_emitter`,
        eventId: delivery.eventId,
        emitterId: "dc_emitter",
        eventName: "",
        state: "delivered",
        attempts: [
          {
            atMs: expect.any(Number),
            latencyMs: expect.any(Number),
            status: 201,
            response: "thanks",
          },
        ],
      },
    ]);
});

test("a payload of a megabyte arrives as it is", async () => {
  const { stub, received } = await newWebhook();
  const payload = JSON.stringify("x".repeat(1_000_000));
  await stub.take([newDelivery({ payload })]);
  await expect.poll(async () => (await received())[0]?.body.length).toBe(payload.length);
});

test("both secrets sign until the overlap ends", async () => {
  const { stub, received, signingSecret: old } = await newWebhook();
  const { signingSecret: rotated } = await stub.rotateSecret(60_000);
  const { signingSecret: newest } = await stub.rotateSecret(0);
  await stub.take([newDelivery()]);
  await expect.poll(received).toHaveLength(1);
  const { signingSecret: last } = await stub.rotateSecret();
  await stub.take([newDelivery()]);
  await expect.poll(received).toHaveLength(2);
  const [first, second] = await received();
  const verify = (secret: string | null, at: typeof first) =>
    new Webhook(secret ?? "").verify(at?.body ?? "", at?.headers ?? {});
  expect(verify(newest, first)).toBeTruthy();
  expect(() => verify(old, first)).toThrow("No matching signature found");
  expect(() => verify(rotated, first)).toThrow("No matching signature found");
  expect(verify(newest, second)).toBeTruthy();
  expect(verify(last, second)).toBeTruthy();
});

test("the signing secret is shown once", async () => {
  const { stub, id, url } = await newWebhook();
  expect(await stub.configure({ id, url, active: true })).toEqual({ signingSecret: null });
});

test("a webhook may deliver to an endpoint of the platform", async () => {
  const source = await deploy(
    `export default { props: { http: "$.interface.http" }, run(event) { this.$emit(event.body) } }`,
  );
  const { stub, id } = await newWebhook();
  await stub.configure({ id, url: source.url, active: true });
  await stub.take([newDelivery({ payload: `{"looped":true}` })]);
  await expect.poll(() => eventsOf(source.stub)).toMatchObject([{ event: { looped: true } }]);
});

test("a receiver that does not respond in time has failed", async () => {
  const silent = await newReceiver({ status: 200, isHeld: true });
  expect(await attempt(silent.url, 50)).toMatchObject({
    attempt: { status: null, isTimeout: true, error: "No response within 0.05 s" },
  });
});

test("an endpoint of the platform that does not respond in time has failed", async () => {
  const gate = await newReceiver({ status: 200, isHeld: true });
  const { url } = await deploy(`export default {
    props: { http: { type: "$.interface.http", customResponse: true } },
    async run() { await fetch("${gate.url}", { method: "POST" }) },
  }`);
  expect(await attempt(url, 50)).toMatchObject({
    attempt: { status: null, isTimeout: true, error: "No response within 0.05 s" },
  });
  await gate.release();
});

test("a redirect is not followed", async () => {
  const elsewhere = await newReceiver();
  const { url } = await newReceiver({ status: 307, headers: { location: elsewhere.url } });
  expect(await attempt(url)).toMatchObject({
    attempt: { status: 307, error: "Redirects are not followed" },
  });
  expect(await elsewhere.received()).toEqual([]);
});

test("an attempt keeps a kilobyte of the response, the delivery eight", async () => {
  const { url } = await newReceiver({ status: 500, body: `a${"é".repeat(5000)}` });
  const { attempt: kept, response } = await attempt(url);
  expect(kept.response).toBe(`a${"é".repeat(1023)}`);
  expect(response?.body).toBe(`a${"é".repeat(4095)}`);
  expect(response?.isTruncated).toBe(true);
});

test("a delivery keeps the headers of the last response, without secrets", async () => {
  const headers = { "x-region": "north", "set-cookie": "session=1", "x-api-key": "k" };
  const { stub } = await newWebhook({ status: 503, headers, body: "down" }, { status: 200 });
  await stub.take([newDelivery()]);
  const last = async () => {
    const [delivery] = await deliveriesOf(stub);
    return (await stub.delivery(delivery?.id ?? ""))?.response;
  };
  await expect.poll(last).toMatchObject({
    headers: { "x-region": "north", "set-cookie": "[hidden]", "x-api-key": "[hidden]" },
    body: "down",
    isTruncated: false,
  });
  await passTime(stub);
  await expect.poll(last).toEqual({ headers: {}, body: "", isTruncated: false });
  // Each delivery keeps one, and most responses are empty.
  expect(await storedResponseLength(stub)).toBe("{}".length);
});

test.for([429, 503])("a Retry-After with %i sets the time of the next attempt", async (status) => {
  const { url } = await newReceiver({ status, headers: { "retry-after": "90" } });
  const { startMs } = stopClock();
  expect(await attempt(url)).toMatchObject({ retryAfterMs: startMs + 90_000 });
});

test("a Retry-After with another status is ignored", async () => {
  const { url } = await newReceiver({ status: 500, headers: { "retry-after": "90" } });
  expect(await attempt(url)).not.toHaveProperty("retryAfterMs");
});

test("rejects private addresses unless the operator allows them", async () => {
  const target = { url: "http://10.0.0.1/", secrets: [], timeoutMs: 1000 };
  const outgoing = { ...newDelivery(), attempt: 1 };
  expect(await send(outgoing, target, { ...network, allowPrivate: false })).toMatchObject({
    attempt: { status: null, error: expect.stringContaining("private and loopback") },
  });
});

test("an event name beyond ASCII is percent-encoded", async () => {
  const { stub, received } = await newWebhook();
  await stub.take([newDelivery({ eventName: "größe" })]);
  await expect
    .poll(received)
    .toMatchObject([{ headers: { "x-wellspring-event-name": "gr%C3%B6%C3%9Fe" } }]);
});
