import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";

import { expect, test } from "vitest";

import { decompress } from "#domain/content-encoding.ts";

const LIMIT = 1000;

const text = "Grüße aus dem Süden";
const bytesOf = (content: string | Uint8Array) => new Uint8Array(Buffer.from(content));

function undone(content: Uint8Array, contentEncoding: string): string | undefined {
  const decompressed = decompress(bytesOf(content), contentEncoding, LIMIT);
  return decompressed instanceof Uint8Array ? Buffer.from(decompressed).toString() : decompressed;
}

test.for([
  ["gzip", gzipSync(text)],
  ["x-gzip", gzipSync(text)],
  ["GZIP", gzipSync(text)],
  ["deflate", deflateSync(text)],
  ["deflate", deflateRawSync(text)],
  ["br", brotliCompressSync(text)],
  ["br, gzip", gzipSync(brotliCompressSync(text))],
  ["gzip,identity , deflate, br", brotliCompressSync(deflateSync(gzipSync(text)))],
  ["gzip", Buffer.concat([gzipSync("Grüße"), gzipSync(" aus dem Süden")])],
  ["identity", Buffer.from(text)],
  ["", Buffer.from(text)],
] as const)("undoes %j", ([contentEncoding, content]) => {
  expect(undone(content, contentEncoding)).toBe(text);
});

test.for([
  ["text that is not compressed", "gzip", Buffer.from(text)],
  ["another coding", "br", gzipSync(text)],
  ["the codings in another order", "gzip, br", gzipSync(brotliCompressSync(text))],
  ["a part", "gzip", gzipSync(text).subarray(0, -9)],
  ["a part", "br", brotliCompressSync(text).subarray(0, -3)],
  ["a part", "deflate", deflateRawSync(text).subarray(0, -3)],
  ["an unknown coding", "zstd", gzipSync(text)],
  ["the name of a method", "constructor", gzipSync(text)],
  ["five codings", "gzip, gzip, gzip, gzip, gzip", gzipSync(text)],
] as const)("leaves bytes that are %s: %s", ([, contentEncoding, content]) => {
  expect(undone(content, contentEncoding)).toBeUndefined();
});

const large = Buffer.alloc(64 * 1024 * 1024);

test.for([
  ["gzip", gzipSync(large)],
  ["deflate", deflateSync(large)],
  ["deflate", deflateRawSync(large)],
  ["br", brotliCompressSync(large)],
  ["br, gzip", gzipSync(brotliCompressSync(large))],
  ["gzip", gzipSync(Buffer.alloc(LIMIT + 1))],
] as const)("refuses a content that is too large: %s", ([contentEncoding, content]) => {
  expect(undone(content, contentEncoding)).toBe("too_large");
  expect(undone(gzipSync(Buffer.alloc(LIMIT)), "gzip")).toHaveLength(LIMIT);
});
