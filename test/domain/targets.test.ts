import { expect, test } from "vitest";

import { refusalOf } from "../../src/domain/targets.ts";

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
  "http://localhost:8787/",
  "http://db.internal/",
  "http://router/",
  "http://localhost./",
  "http://0.0.0.0/",
])("%s is refused", (url) => {
  expect(refusalOf(url, false)).toMatch(/private and loopback/);
  expect(refusalOf(url, true)).toBeUndefined();
});

test.for(["https://example.com/", "http://93.184.216.34/", "https://[2606:4700::1111]/"])(
  "%s may be reached",
  (url) => {
    expect(refusalOf(url, false)).toBeUndefined();
  },
);

test("only http and https leave the platform", () => {
  expect(refusalOf("ftp://example.com/", true)).toMatch(/only http and https/);
});
