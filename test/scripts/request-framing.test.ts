import * as fc from "fast-check";
import { expect, test } from "vitest";

import { RequestFraming } from "../../tools/scripts/local/request-framing.ts";
import { TrustedProxies } from "../../tools/scripts/local/trusted-proxies.ts";

/** The forwarded part of this text, sent in pieces that end at these places, and the status of a rejection. */
function read(text: string, cuts: readonly number[] = [], proxies = "") {
  const framing = new RequestFraming("192.0.2.7", new TrustedProxies(proxies));
  const bytes = Buffer.from(text, "latin1");
  const ends = [...cuts.map((cut) => cut % bytes.length), bytes.length].toSorted((a, b) => a - b);
  let [passed, from] = ["", 0];
  for (const end of ends) {
    const { pass, rejection } = framing.read(bytes.subarray(from, end));
    passed += Buffer.concat(pass).toString("latin1");
    if (rejection) return { passed, status: rejection.status };
    from = end;
  }
  return { passed };
}

const GET = "GET /v1 HTTP/1.1\r\nHost: localhost\r\n\r\n";
const PASSED_GET = "GET /v1 HTTP/1.1\r\nCF-Connecting-IP: 192.0.2.7\r\nHost: localhost\r\n\r\n";
const LENGTH = "POST /e/k HTTP/1.1\r\nCF-Connecting-IP: 192.0.2.7\r\nContent-Length: 40\r\n\r\n";
const BODY = "CONNECT x:1 HTTP/1.1\r\n\r\nmf-op: 1\r\n\r\n1234";
const CHUNKED =
  "POST /e/k HTTP/1.1\r\nCF-Connecting-IP: 192.0.2.7\r\nTransfer-Encoding: chunked\r\n\r\n";
const CHUNKS = "18\r\nCONNECT x:1 HTTP/1.1\r\n\r\n\r\n3\r\nabc\r\n0\r\n\r\n";

test("requests pass with their client's address, in pieces of any size", () => {
  const sent = `${GET}${LENGTH}${BODY}\r\n${CHUNKED}${CHUNKS}${GET}`;
  const passed = `${PASSED_GET}${LENGTH}${BODY}${CHUNKED}${CHUNKS}${PASSED_GET}`;
  expect(BODY).toHaveLength(40);
  expect(read(sent)).toEqual({ passed });
  fc.assert(
    fc.property(fc.array(fc.nat()), (cuts) => {
      expect(read(sent, cuts)).toEqual({ passed });
    }),
  );
});

test("a CONNECT is rejected at any place", () => {
  const connect = "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n";
  expect(read(connect)).toEqual({ passed: "", status: 405 });
  expect(read(GET + connect)).toEqual({ passed: PASSED_GET, status: 405 });
  expect(read(LENGTH + BODY + connect)).toEqual({ passed: LENGTH + BODY, status: 405 });
  expect(read(CHUNKED + CHUNKS + connect)).toEqual({ passed: CHUNKED + CHUNKS, status: 405 });
});

test("only methods that the runtime supports are forwarded", () => {
  for (const method of ["QUERY", "M-SEARCH"])
    expect(read(`${method} / HTTP/1.1\r\n\r\n`)).not.toHaveProperty("status");
  for (const method of ["TRACK", "BREW", "Get"])
    expect(read(`${method} / HTTP/1.1\r\n\r\n`)).toEqual({ passed: "", status: 501 });
  expect(read("TRACE / HTTP/1.1\r\n\r\n")).toEqual({ passed: "", status: 405 });
});

test("the runtime's own headers are dropped", () => {
  const headers = "MF-Route-Override: a\r\nAccept: */*\r\nmf-original-url: b\r\nUpgrade: h2c\r\n";
  expect(read(`GET / HTTP/1.1\r\n${headers}\r\n`)).toEqual({
    passed: "GET / HTTP/1.1\r\nCF-Connecting-IP: 192.0.2.7\r\nAccept: */*\r\n\r\n",
  });
});

test("a client cannot set its own address", () => {
  const forged =
    "cf-connecting-ip: 6.6.6.6\r\nCF-Connecting-IPv6: ::6\r\nX-Forwarded-For: 6.6.6.6\r\n";
  expect(read(`GET / HTTP/1.1\r\n${forged}\r\n`)).toEqual({
    passed: "GET / HTTP/1.1\r\nCF-Connecting-IP: 192.0.2.7\r\nX-Forwarded-For: 6.6.6.6\r\n\r\n",
  });
});

test("a trusted proxy sets the client's address of a forwarded request", () => {
  const headers = "X-Forwarded-For: 6.6.6.6\r\nx-forwarded-for: 198.51.100.1, 192.0.2.8\r\n";
  expect(read(`GET / HTTP/1.1\r\n${headers}\r\n`, [], "192.0.2.0/24")).toEqual({
    passed: `GET / HTTP/1.1\r\nCF-Connecting-IP: 198.51.100.1\r\n${headers}\r\n`,
  });
});

test("after close, the request in progress passes, and no other", () => {
  const framing = new RequestFraming("192.0.2.7", new TrustedProxies());
  framing.read(Buffer.from(LENGTH + BODY.slice(0, 10)));
  framing.close();
  const { pass, rejection } = framing.read(Buffer.from(BODY.slice(10) + GET));
  expect(Buffer.concat(pass).toString()).toBe(BODY.slice(10));
  expect(rejection?.status).toBe(503);
});

test.each([
  ["no version", "GET /\r\n\r\n"],
  ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ["a line end alone", "GET / HTTP/1.1\r\nA: b\n\nCONNECT x:1 HTTP/1.1\r\n\r\n"],
  ["a folded header", "GET / HTTP/1.1\r\nA: b\r\n c: d\r\n\r\n"],
  ["a space before a colon", "POST / HTTP/1.1\r\nContent-Length : 5\r\n\r\n"],
  ["two lengths", "POST / HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n"],
  [
    "a length and chunks",
    "POST / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
  ],
  ["a signed length", "POST / HTTP/1.1\r\nContent-Length: +5\r\n\r\n"],
  ["another encoding", "POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"],
  ["a chunk's extension", `${CHUNKED}3;a=b\r\nabc\r\n`],
  ["a chunk without a size", `${CHUNKED}\r\nabc\r\n`],
  ["an endless chunk size", CHUNKED + "0".repeat(2000)],
  ["a trailer", `${CHUNKED}0\r\nmf-op: 1\r\n\r\n`],
  ["a host with a path", "GET /x HTTP/1.1\r\nHost: a/cdn-cgi/local/r2/public/b?\r\n\r\n"],
  ["no path", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"],
  ["a target without a slash", "GET v1/users HTTP/1.1\r\nHost: a\r\n\r\n"],
  ["two hosts", "GET /x HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"],
])("a request with %s is malformed", (_, text) => {
  expect(read(text).status).toBe(400);
});

test("an endless head is rejected", () => {
  expect(read(`GET / HTTP/1.1\r\nA: ${"b".repeat(70_000)}`).status).toBe(431);
});
