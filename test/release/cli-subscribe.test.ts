import { text } from "node:stream/consumers";

import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

import {
  type CliPlace,
  type CliSource,
  jsonOf,
  openPlace,
  ORDERS,
  post,
  wellspring,
} from "../support/cli.ts";
import { serve } from "../support/serve.ts";

let place: CliPlace;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ place, close } = await openPlace());
});

afterAll(() => close());

test("subscribe delivers the events of a source to a URL, until unsubscribe", async () => {
  const received: unknown[] = [];
  const { origin, close: closeReceiver } = await serve(async (request, response) => {
    received.push([await text(request), request.headers["cf-worker"]]);
    response.end();
  });
  onTestFinished(closeReceiver);
  const { configured_props } = await jsonOf<CliSource>(place, "deploy", ORDERS, "-n", "Heard");
  const lower = await wellspring(place, "subscribe", "heard-orders", origin);
  expect([lower.code, lower.stderr]).toEqual([1, expect.stringContaining("There is no source")]);
  const { stdout } = await wellspring(place, "subscribe", "Heard", origin);
  expect(stdout).toMatch(/by the webhook wh_\w+\nsigning secret, shown only now: whsec_/);
  await post(configured_props["http"]?.endpoint_url ?? "", { id: 1 });
  const delivered = [JSON.stringify({ id: 1 }), "127.0.0.1"];
  await expect.poll(() => received).toEqual([delivered]);
  const { id } = await jsonOf<{ id: string }>(place, "events", "Heard", "-n", "1");
  const replayed = await wellspring(place, "replay", "Heard", id);
  expect(replayed.stdout).toBe(`Heard emitted ${id} again\n`);
  await expect.poll(() => received).toEqual([delivered, delivered]);
  const [, webhook = ""] = /by the webhook (wh_\w+)/.exec(stdout) ?? [];
  const elsewhere = await wellspring(place, "unsubscribe", "Heard", `${origin}/other`);
  expect([elsewhere.code, elsewhere.stderr]).toEqual([
    1,
    expect.stringContaining(`Heard does not deliver to ${origin}/other`),
  ]);
  const ended = await wellspring(place, "unsubscribe", "Heard", origin);
  expect(ended.stdout).toContain(`Heard no longer delivers by ${webhook}`);
  expect((await wellspring(place, "describe", "Heard")).stdout).toContain("No webhook");
  expect((await wellspring(place, "delete", webhook)).stdout).toContain(`  ${webhook}\n`);
  expect(await jsonOf(place, "list", "webhooks")).toEqual([]);
  const other = await wellspring(place, "describe", "HEARD");
  expect([other.code, other.stderr]).toEqual([1, expect.stringContaining("did you mean Heard?")]);
});
