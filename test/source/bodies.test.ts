import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";

import { expect, test } from "vitest";

import { httpEvent } from "#domain/http-event.ts";

import { deploy, eventsOf, send } from "../support/deploy.ts";
import { code, deployWorkflow } from "../support/workflow.ts";

const ECHO = `export default { props: { http: "$.interface.http" }, run(event) { this.$emit(event) } }`;

const JSON_TYPE = { "content-type": "application/json" };

const latin1 = (text: string) => new Uint8Array(Buffer.from(text, "latin1"));
const utf16 = (text: string) => new Uint8Array(Buffer.from(text, "utf16le"));
const utf8 = (text: string) => new Uint8Array(Buffer.from(text));

/** The fields of an event that depend on its body. */
async function bodyOf(type: string, bytes: Uint8Array<ArrayBuffer>) {
  const event = await httpEvent({
    method: "POST",
    url: new URL("http://wellspring.test/e/key"),
    path: "/",
    headers: { "content-type": type },
    bytes,
    clientIp: "",
  });
  expect(event).toMatchObject({ bodyRaw: expect.any(String) });
  const { bodyRaw, body, isBase64Encoded } = event as Record<string, unknown>;
  const decoded = Buffer.from(String(bodyRaw), isBase64Encoded ? "base64" : "utf8");
  return { bodyRaw, body, isBase64Encoded, isExact: decoded.equals(bytes) };
}

const raw = `{"event":"page","note":"Grüße ✓"}`;

test.for([
  ["gzip", gzipSync(raw)],
  ["deflate", deflateSync(raw)],
  ["br", brotliCompressSync(raw)],
  ["deflate, gzip", gzipSync(deflateSync(raw))],
] as const)("a body with content-encoding %s arrives decompressed", async ([coding, body]) => {
  const source = await deploy(ECHO);
  await send(source.url, { headers: { ...JSON_TYPE, "content-encoding": coding }, body });
  const [event] = await eventsOf(source.stub);
  expect(event?.event).toMatchObject({ bodyRaw: raw, body: { event: "page", note: "Grüße ✓" } });
  expect(event?.event).not.toHaveProperty("isBase64Encoded");
});

test("a body that is not compressed as declared arrives as sent", async () => {
  const source = await deploy(ECHO);
  for (const body of [raw, gzipSync(raw).subarray(0, 30)])
    await send(source.url, { headers: { ...JSON_TYPE, "content-encoding": "gzip" }, body });
  const [cut, plain] = await eventsOf(source.stub);
  expect(plain?.event).toMatchObject({ bodyRaw: raw, body: { event: "page" } });
  const bodyRaw = gzipSync(raw).subarray(0, 30).toString("base64");
  expect(cut?.event).toMatchObject({ bodyRaw, body: bodyRaw, isBase64Encoded: true });
});

test("the limit of a body holds for its decompressed content", async () => {
  const source = await deploy(
    ECHO.replace("(event)", "({ body })").replace("emit(event)", "emit(body.length)"),
  );
  const headers = { "content-type": "text/plain", "content-encoding": "gzip" };
  const largest = await send(source.url, { headers, body: gzipSync("a".repeat(512 * 1024)) });
  expect(largest.status).toBe(200);
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
  const refused = await send(source.url, { headers, body: bomb });
  expect(refused.status).toBe(413);
  expect(await eventsOf(source.stub)).toMatchObject([{ event: 512 * 1024 }]);
});

test("a workflow's HTTP trigger receives decompressed bodies in their charset", async () => {
  const echo = code("await $.respond({ body: steps.trigger.event.body })");
  const { url } = await deployWorkflow({ steps: [{ name: "echo", component_code: echo }] });
  const headers = {
    "content-type": "application/json; charset=iso-8859-1",
    "content-encoding": "br",
  };
  const response = await send(url, { headers, body: brotliCompressSync(latin1(`{"a":"é"}`)) });
  expect(await response.json()).toEqual({ a: "é" });
});

const FORM = "application/x-www-form-urlencoded";

test.for([
  ["application/json; charset=iso-8859-1", latin1(`{"name":"Héllo"}`), { name: "Héllo" }],
  [`application/json; charset="ISO-8859-1"`, latin1(`{"name":"Héllo"}`), { name: "Héllo" }],
  [`${FORM};charset=iso-8859-1`, latin1("name=Héllo&x=1"), { name: "Héllo", x: "1" }],
  [
    `${FORM};charset=windows-1252`,
    latin1("na%EFve=H%E9llo+you&=a=b&&c"),
    { naïve: "Héllo you", "": "a=b", c: "" },
  ],
  [`${FORM};charset=shift_jis`, latin1("a=%83e"), { a: "テ" }],
  [`${FORM};charset=shift_jis`, latin1("a=%83"), { a: "\uFFFD" }],
  ["text/xml; charset=windows-1251", new Uint8Array([0x3c, 0xcf, 0x2f, 0x3e]), "<П/>"],
  ["application/json; charset=utf-16le", utf16(`{"a":"é"}`), { a: "é" }],
  ["application/json", utf16(`\uFEFF{"a":"é"}`), { a: "é" }],
  ["text/plain", utf16(`\uFEFFplain`), "plain"],
  ["application/json; charset=utf-8", utf8(`{"a":"é"}`), { a: "é" }],
  ["application/json; charset=unheard-of", utf8(`{"a":"é"}`), { a: "é" }],
  ["application/json; charset=utf-16be", utf8(`{"a":1}`), { a: 1 }],
] as const)("a body of type %s is decoded by its charset", async ([type, bytes, body]) => {
  expect(await bodyOf(type, bytes)).toMatchObject({ body, isExact: true });
});

test.for([
  ["application/json", utf8(`\uFEFF{"a":1}`), { a: 1 }],
  ["application/json; charset=iso-8859-1", utf8(`\uFEFF{"a":"é"}`), { a: "é" }],
  ["text/csv", utf8(`\uFEFFa,b`), "a,b"],
  [FORM, utf8(`\uFEFFa=1`), { a: "1" }],
] as const)("a %s body has no byte order mark, but bodyRaw has", async ([type, bytes, body]) => {
  const bodyRaw = Buffer.from(bytes).toString();
  expect(await bodyOf(type, bytes)).toEqual({ bodyRaw, body, isExact: true });
});

test.for([
  ["application/octet-stream", new Uint8Array([0xff, 0xfe, 0x41, 0x00])],
  ["application/json", latin1(`{"name":"Héllo"}`)],
  ["text/plain; charset=utf-8", latin1("Héllo")],
] as const)("bytes of type %s that are not text arrive as base64", async ([type, bytes]) => {
  const base64 = Buffer.from(bytes).toString("base64");
  const event = { bodyRaw: base64, body: base64, isBase64Encoded: true, isExact: true };
  expect(await bodyOf(type, bytes)).toEqual(event);
});

test("an event says whether the bodyRaw of a multipart form is base64", async () => {
  const form = (content: Uint8Array) =>
    new Uint8Array(
      Buffer.concat([
        Buffer.from(`--b\r\ncontent-disposition: form-data; name="f"; filename="f"\r\n\r\n`),
        content,
        Buffer.from("\r\n--b--\r\n"),
      ]),
    );
  const type = "multipart/form-data; boundary=b";
  const binary = await bodyOf(type, form(new Uint8Array([0xff, 0x00])));
  expect(binary).toMatchObject({ body: { f: { filename: "f" } }, isBase64Encoded: true });
  expect(binary.isExact).toBe(true);
  const text = await bodyOf(type, form(utf8("text")));
  expect(text).toMatchObject({ body: { f: { filename: "f" } }, isExact: true });
  expect(text.isBase64Encoded).toBeUndefined();
});

test.for([
  [`{"a": [1, "x=y&z"]}`, { a: [1, "x=y&z"] }],
  [` [1]\n`, [1]],
  [`{"a": 1}&b=2`, { '{"a": 1}': "", b: "2" }],
  [`{a}=1`, { "{a}": "1" }],
  [`1`, { "1": "" }],
  [`"text"`, { '"text"': "" }],
] as const)("a form that is JSON as a whole is parsed as JSON: %s", async ([text, body]) => {
  expect(await bodyOf(FORM, utf8(text))).toMatchObject({ bodyRaw: text, body });
});
