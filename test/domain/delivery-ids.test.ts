import { expect, test } from "vitest";

import { deliveryId, deliveryKeyOf } from "#domain/delivery-ids.ts";

test("a delivery's id contains its event and emitter, and is safe in a URL", () => {
  const key = { position: 1_700_000_000_000_042, emitterId: "dc_a1" };
  expect(deliveryId(key)).toBe("dlv_1700000000000-42_dc_a1");
  expect(deliveryKeyOf(deliveryId(key))).toEqual(key);
  expect(encodeURIComponent(deliveryId(key))).toBe(deliveryId(key));
});

test.for(["", "dlv_", "dlv_7_dc_a", "dlv_1-1_", "x_1-1_dc_a", "dlv_1-1000_dc_a"])(
  "%j is not a delivery id",
  (id) => {
    expect(deliveryKeyOf(id)).toBeUndefined();
  },
);
