import * as fc from "fast-check";
import { expect, test } from "vitest";

import { addressOf, atOrigins } from "#domain/address.ts";

function parsed(text: string) {
  const { href, origin, pathname, search } = new URL(text);
  return { href, origin, pathname, search };
}

function split(text: string) {
  const { href, origin, pathname, search } = addressOf(text);
  return { href, origin, pathname, search };
}

test.for([
  "http://127.0.0.1:8787/e/abc",
  "http://127.0.0.1:8787/e/abc/sub-path/x_y~z/",
  "https://events.example.com:443/e/abc?a=1&b=2&a=3",
  "HTTPS://EVENTS.example.com/e/ABC",
  "http://2130706433/e/abc",
  "http://0x7f.1:80/e/abc",
  "http://user:secret@events.example.com/e/abc",
  "http://bücher.example/e/abc",
  "http://events.example.com",
  "http://events.example.com?a=1",
  "http://events.example.com/e/../admin",
  "http://events.example.com/e/%2e%2e/admin",
  "http://events.example.com/e/a b?c=d e#f",
  "http://events.example.com/e\\abc",
  "http://events.example.com//e//abc?",
  "http://[::1]:8787/e/abc",
])("parses %s as URL does", (text) => {
  expect(split(text)).toEqual(parsed(text));
});

test("parses any valid URL as URL does", () => {
  const odd = fc.stringMatching(/^[-\w~./?#%&=+:@\\ é]{0,12}$/);
  const host = fc.oneof(fc.domain(), fc.ipV4Extended(), fc.constant("127.0.0.1:80"), odd);
  const any = fc.oneof(
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
    fc.tuple(host, odd, odd).map(([at, path, rest]) => `http://${at}/${path}${rest}`),
  );
  fc.assert(
    fc.property(
      any.filter((text) => URL.canParse(text)),
      (text) => {
        expect(split(text)).toEqual(parsed(text));
      },
    ),
    { numRuns: 5000 },
  );
});

test("rejects an invalid URL as URL does", () => {
  expect(() => addressOf("/e/abc")).toThrow(TypeError);
  expect(() => addressOf("http://a:b:c/e")).toThrow(TypeError);
});

test.for([
  ["http://hooks.example/e/a?b=c", "https://hooks.example/e/a?b=c"],
  ["http://api.example:8443/v1", "https://api.example:8443/v1"],
  ["https://hooks.example/", "https://hooks.example/"],
  ["http://hooks.example:443/e/a", "https://hooks.example/e/a"],
  ["http://hooks.example./e/a", "https://hooks.example/e/a"],
  ["http://HOOKS.example.:443/e/a", "https://hooks.example/e/a"],
  ["http://api.example.:8443/v1", "https://api.example:8443/v1"],
  ["http://user:secret@hooks.example/e/a#f", "https://hooks.example/e/a"],
  ["http://api.example/v1", "http://api.example/v1"],
  ["http://127.0.0.1:8787/e/a", "http://127.0.0.1:8787/e/a"],
  ["http://nothooks.example/", "http://nothooks.example/"],
] as const)("behind a proxy, %s becomes %s", ([text, expected]) => {
  const address = atOrigins(addressOf(text), ["https://hooks.example", "https://api.example:8443"]);
  expect(address.href).toBe(expected);
  expect(address.origin).toBe(new URL(expected).origin);
});

test("an unset origin changes no address", () => {
  expect(atOrigins(addressOf("http://hooks.example/"), [""]).origin).toBe("http://hooks.example");
});
