import * as fc from "fast-check";
import { expect, test } from "vitest";

import { TrustedProxies } from "../../tools/scripts/local/trusted-proxies.ts";

const PROXIES = "127.0.0.1, ::1, 10.0.0.0/8,2001:db8::/32";

test.for([
  ["", "203.0.113.1", "6.6.6.6", "203.0.113.1"],
  ["", "::ffff:203.0.113.1", "", "203.0.113.1"],
  [PROXIES, "203.0.113.1", "6.6.6.6", "203.0.113.1"],
  [PROXIES, "127.0.0.1", "203.0.113.1", "203.0.113.1"],
  [PROXIES, "::ffff:127.0.0.1", " 203.0.113.1 ", "203.0.113.1"],
  [PROXIES, "::1", "6.6.6.6, 203.0.113.1, 10.1.2.3", "203.0.113.1"],
  [PROXIES, "2001:db8:1::1", "6.6.6.6, 2001:DB9:0::1", "2001:db9::1"],
  [PROXIES, "127.0.0.1", "203.0.113.1:4711", "203.0.113.1"],
  [PROXIES, "127.0.0.1", "[2001:db9::1]:4711", "2001:db9::1"],
  [PROXIES, "127.0.0.1", "10.0.0.1, 10.0.0.2", "10.0.0.1"],
  [PROXIES, "127.0.0.1", "6.6.6.6, unknown", "127.0.0.1"],
  [PROXIES, "127.0.0.1", "6.6.6.6, 10.0.0.1.", "127.0.0.1"],
  [PROXIES, "127.0.0.1", "", "127.0.0.1"],
] as const)("with the proxies %j, a peer at %s that forwards for %j has the client %s", (row) => {
  const [proxies, peer, forwardedFor, client] = row;
  expect(new TrustedProxies(proxies).clientOf(peer, forwardedFor)).toBe(client);
});

test("no client can forge an address in front of the one that a trusted proxy added", () => {
  const proxies = new TrustedProxies("10.0.0.0/8");
  fc.assert(
    fc.property(fc.string(), (forged) => {
      expect(proxies.clientOf("10.0.0.1", `${forged},203.0.113.1`)).toBe("203.0.113.1");
      expect(proxies.clientOf("203.0.113.1", forged)).toBe("203.0.113.1");
    }),
  );
});

test.for(["nginx", "10.0.0.0/33", "10.0.0.0/x", "10.0.0", "*", "[::1]", "127.0.0.1:80", "::1/129"])(
  "rejects TRUSTED_PROXIES=%s, and names the setting",
  (text) => {
    expect(() => new TrustedProxies(`127.0.0.1,${text}`)).toThrow(
      `TRUSTED_PROXIES must be IP addresses or CIDR ranges between commas, not "${text}".`,
    );
  },
);
