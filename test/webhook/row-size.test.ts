import { expect, test } from "vitest";

import { MAX_EVENT_BYTES, MAX_ROW_BYTES } from "#domain/row-size.ts";

import { expectRowsFit } from "../support/rows.ts";
import { forgiveFailures } from "../support/webhook-tables.ts";
import { deliveriesOf, newDelivery, newWebhook, passTime } from "../support/webhook.ts";

/** The maximum size of an event without its payload. */
const NAME_BYTES = 250_000;

test.for([
  ["ASCII", "x", 1, 2],
  ["characters of three bytes", "€", 3, 2],
  ["control characters, which JSON escapes", "\u0001", 6, 22],
] as const)(
  "the largest delivery, of %s, fits its row with all of its attempts",
  async ([, character, bytes, tries]) => {
    // An attempt keeps 1,024 characters, the last one 8 KB and 4 KB of headers: NUL takes six each as JSON.
    const headers = Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => [`x-${n}`, "v".repeat(500)]),
    );
    const webhook = await newWebhook({ status: 503, headers, body: "\u0000".repeat(9000) });
    const payload = JSON.stringify(
      character.repeat(Math.floor((MAX_EVENT_BYTES - NAME_BYTES) / bytes) - 2),
    );
    expect(Buffer.byteLength(payload)).toBeGreaterThan(MAX_EVENT_BYTES - NAME_BYTES - 20);
    const eventName = "€".repeat(NAME_BYTES / 3);
    await webhook.stub.take([newDelivery({ payload, eventName })]);
    const attempts = async () => (await deliveriesOf(webhook.stub))[0]?.attempts ?? [];
    for (let count = 1; count <= tries; count += 1) {
      // Any number of replays keeps the last 20 attempts.
      await expect.poll(async () => (await attempts()).length).toBe(Math.min(count, 20));
      await forgiveFailures(webhook.stub);
      if (count < tries) await passTime(webhook.stub);
    }
    expect(await expectRowsFit(webhook.stub)).toBeGreaterThan(MAX_ROW_BYTES * 0.85);
  },
);
