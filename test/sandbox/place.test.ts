// @suites loader

import { expect, test } from "vitest";

import { newId } from "#domain/ids.ts";
import { placeOf } from "#sandbox/processes/place.ts";

test.for([1, 2, 3, 8])("owners are distributed evenly over %i processes", (count) => {
  const owners = Array.from({ length: 2000 }, () => newId("user"));
  const fair = owners.length / count;
  for (let place = 0; place < count; place += 1) {
    const load = owners.filter((owner) => placeOf(owner, count) === place).length;
    expect(Math.abs(load - fair)).toBeLessThan(fair * 0.4);
  }
});

// The values of FNV-1a: with another hash, an upgrade would move all owners.
test.for([
  ["u_0000000000000000000001", 2, 0],
  ["u_0000000000000000000002", 2, 1],
  ["u_0000000000000000000001", 7, 2],
] as const)("the place of %s among %i is always %i", ([owner, count, place]) => {
  expect(placeOf(owner, count)).toBe(place);
});
