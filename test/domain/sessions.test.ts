import { expect, test } from "vitest";

import {
  accessOrigin,
  isSameOrigin,
  pageOrigins,
  setsSession,
  withoutSession,
} from "#domain/sessions.ts";

test.for([
  ["wellspring_session=abc", undefined],
  ["__Host-wellspring_session=abc", undefined],
  ["WellSpring_Session=abc; __HOST-WELLSPRING_SESSION=d", undefined],
  ["a=1; wellspring_session=abc; b=2", "a=1; b=2"],
  ["wellspring_session=abc; b=2", "b=2"],
  ["a=1; __Host-wellspring_session=abc", "a=1"],
  ["a=1;wellspring_session=abc;b=2", "a=1;b=2"],
  ["a=1, wellspring_session=abc, b=2", "a=1, b=2"],
  ["a=1; wellspring_session = abc ; b=2", "a=1; b=2"],
  ["a=1; wellspring_session", "a=1"],
  ["a=1; =wellspring_session=abc", "a=1"],
  ["wellspring_session=a; wellspring_session=b", undefined],
  [
    "my_wellspring_session=1; wellspring_sessions=2",
    "my_wellspring_session=1; wellspring_sessions=2",
  ],
  ["a=wellspring_session; wellspring-connect=b", "a=wellspring_session; wellspring-connect=b"],
  ["a=1; b=x,y; c", "a=1; b=x,y; c"],
])("without session cookies, %s is %s", ([cookies, rest]) => {
  expect(withoutSession(cookies ?? "")).toBe(rest);
});

test.for([
  ["wellspring_session=abc; Path=/", true],
  ["__Host-wellspring_session=abc; Secure; Path=/", true],
  ["  WELLSPRING_SESSION\t=abc", true],
  ["wellspring_session; Path=/", true],
  ["wellspring_session", true],
  ["=wellspring_session=abc", true],
  [" = wellspring_session=abc", true],
  ["wellspring_sessions=abc", false],
  ["a=wellspring_session=abc", false],
  ["a=1; wellspring_session=abc", false],
] as const)("whether %s sets a session: %s", ([cookie, sets]) => {
  expect(setsSession(cookie)).toBe(sets);
});

test.for([
  [undefined, undefined, true],
  ["https://a.test", undefined, true],
  ["https://a.test", "same-origin", true],
  [undefined, "same-origin", true],
  ["https://b.test", undefined, false],
  ["https://b.test", "same-origin", false],
  ["null", "same-origin", false],
  ["https://a.test", "same-site", false],
  ["https://a.test", "cross-site", false],
  [undefined, "none", false],
] as const)(
  "whether a request with the origin %s and the site %s is the platform's own: %s",
  ([origin, site, is]) => {
    expect(isSameOrigin({ origin, site, own: ["https://a.test"] })).toBe(is);
  },
);

test.for([
  ["", undefined],
  ["acme.cloudflareaccess.com", "https://acme.cloudflareaccess.com"],
  ["https://acme.cloudflareaccess.com/", "https://acme.cloudflareaccess.com"],
  ["http://acme.cloudflareaccess.com", undefined],
  ["http://127.0.0.1:8080", "http://127.0.0.1:8080"],
  ["http://localhost:8080", "http://localhost:8080"],
  ["ftp://localhost", undefined],
  ["http://", undefined],
])("the origin of the team %s is %s", ([domain, origin]) => {
  expect(accessOrigin(domain ?? "")).toBe(origin);
});

test.for([
  ["https://wellspring.example", "https://wellspring.example/console/", false],
  ["https://wellspring.example", "http://wellspring.example/console/", false],
  ["https://wellspring.example", "http://127.0.0.1:8787/", false],
  ["https://wellspring.example", "https://evil.example/", false],
  ["http://127.0.0.1:8787", "http://localhost:8787/", true],
  ["http://127.0.0.1:8787", "http://[::1]:8787/", true],
  ["http://127.0.0.1:8787", "http://192.168.1.7:8787/", true],
  ["http://127.0.0.1:8787", "http://rebound.example:8787/", false],
] as const)(
  "pages of the platform at %s have the origin of %s, too: %s",
  ([url, requested, is]) => {
    const { origin } = new URL(requested);
    expect(pageOrigins(url, requested)).toEqual(is ? [url, origin] : [url]);
  },
);
