import { expect, test } from "vitest";

import { clientNetworkOf } from "#domain/client-network.ts";

test.for([
  ["192.0.2.7", "192.0.2.7"],
  ["::ffff:192.0.2.7", "192.0.2.7"],
  ["2001:db8:1:2::3", "2001:db8:1:2::/64"],
  ["2001:DB8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"],
  ["2001:db8:1:3::3", "2001:db8:1:3::/64"],
  ["", ""],
] as const)("the network of the client at %s is %s", ([address, network]) => {
  expect(clientNetworkOf(address)).toBe(network);
});
