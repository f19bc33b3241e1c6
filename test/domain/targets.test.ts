import { expect, test } from "vitest";

import { callbackRefusal, isOwnTarget, mayBeOwnTarget, refusalOf } from "#domain/targets.ts";

test.for([
  "http://127.0.0.1/",
  "http://2130706433/",
  "http://0x7f.1/",
  "http://10.1.2.3/",
  "http://192.168.0.1/",
  "http://169.254.169.254/latest",
  "http://[::1]/",
  "http://[::ffff:10.0.0.1]/",
  "http://[fd00::1]/",
  "http://[::127.0.0.1]/",
  "http://[::8.8.8.8]/",
  "http://[::ffff:8.8.8.8]/",
  "http://[::ffff:0:127.0.0.1]/",
  "http://[64:ff9b::7f00:1]/",
  "http://[64:ff9b:1::7f00:1]/",
  "http://[2002:7f00:1::1]/",
  "http://[2001:0:1:2:3:4:80ff:fffe]/",
  "http://[2600::5efe:127.0.0.1]/",
  "http://[2600::200:5efe:127.0.0.1]/",
  "http://[fe80::1]/",
  "http://[fec0::1]/",
  "http://[100::1]/",
  "http://[2001:db8::1]/",
  "http://[4000::1]/",
  "http://[ff02::1]/",
  "http://0x7f.1/",
  "http://0177.0.0.1/",
  "http://127.1/",
  "http://100.64.0.1/",
  "http://198.18.0.1/",
  "http://192.0.0.192/",
  "http://240.0.0.1/",
  "http://255.255.255.255/",
  "http://127。0。0。1/",
  "http://%31%32%37.0.0.1/",
  "http://localhost:8787/",
  "http://db.internal/",
  "http://router/",
  "http://localhost./",
  "http://0.0.0.0/",
])("rejects %s", (url) => {
  expect(refusalOf(url, false)).toMatch(/private and loopback/);
  expect(refusalOf(url, true)).toBeUndefined();
});

test.for(["https://example.com/", "http://93.184.216.34/", "https://[2606:4700::1111]/"])(
  "allows %s",
  (url) => {
    expect(refusalOf(url, false)).toBeUndefined();
  },
);

test("allows http and https only", () => {
  expect(refusalOf("ftp://example.com/", true)).toMatch(/only http and https/);
});

test.each([
  ["http://127.0.0.1:8787", "http://localhost:8787/e/x", true],
  ["http://127.0.0.1:8787", "http://127.1:8787/e/x", true],
  ["http://127.0.0.1:8787", "http://127.0.0.2:8787/", true],
  ["http://127.0.0.1:8787", "http://[::ffff:127.0.0.1]:8787/", true],
  ["http://127.0.0.1:8787", "http://[::]:8787/", true],
  ["http://127.0.0.1:8787", "http://hooks.localhost:8787/", true],
  ["http://[::1]:8787", "http://0.0.0.0:8787/", true],
  ["http://localhost", "http://127.0.0.1/", true],
  ["http://127.0.0.1:8787", "http://127.0.0.1:8788/", false],
  ["http://127.0.0.1:8787", "https://127.0.0.1:8787/", false],
  ["http://127.0.0.1:8787", "http://notlocalhost:8787/", false],
  ["https://events.example", "https://events.example/e/x", true],
  ["https://events.example", "https://events.example./e/x", true],
  ["https://events.example", "https://events.example.:443/e/x", true],
  ["https://events.example", "https://127.0.0.1/", false],
])("whether the platform at %s is at %s: %s", (own, url, isOwn) => {
  expect(isOwnTarget(new URL(url), [own])).toBe(isOwn);
});

test.each([
  ["http://127.0.0.1:8787", "http://resolves-anywhere.example:8787/", true],
  ["http://127.0.0.1:8787", "http://resolves-anywhere.example/", false],
  ["https://events.example", "https://resolves-anywhere.example/", false],
])("whether the platform at %s may be at %s: %s", (own, url, mayBeOwn) => {
  expect(mayBeOwnTarget(new URL(url), [own])).toBe(mayBeOwn);
});

test.for([
  ["https://example.com/hook?key=1", true, true],
  ["https://93.184.216.34/", false, true],
  ["https://[2606:4700::1111]/", false, true],
  ["http://127.0.0.1:3000/", false, true],
  ["http://localhost:3000/", false, true],
  ["http://[::1]:3000/", false, true],
  ["https://127.0.0.1/", false, true],
  ["https://169.254.169.254/latest", false, true],
  ["https://[::ffff:10.0.0.1]/", false, true],
  ["https://router/", false, true],
  ["http://example.com/", false, false],
  ["http://10.1.2.3/", false, false],
  ["ftp://127.0.0.1/", false, false],
  ["https://user@example.com/", false, false],
  ["https://example.com/#part", false, false],
  ["example.com", false, false],
] as const)("events to %s: deployed %s, on a laptop %s", ([url, deployed, local]) => {
  const rules = (isLocal: boolean) => ({ allowPrivateTargets: isLocal, allowIpTargets: isLocal });
  expect(callbackRefusal(url, rules(false)) === undefined).toBe(deployed);
  expect(callbackRefusal(url, rules(true)) === undefined).toBe(local);
});
