import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";

import type { Scenario } from "../scenario.ts";
import type { Stage } from "../stage.ts";

const JSON_TYPE = "application/json";
const BOUNDARY = "xSeparatesx";

/** Bytes that are no UTF-8. */
const BINARY = Buffer.from([0xff, 0xfe, 0x00, 0x80]);

type Seen = { body: unknown; bodyRaw: string; isBase64: boolean };

/** Senders compress bodies, and encode them in other ways than UTF-8: the source sees the same values. */
async function encodings(stage: Stage): Promise<void> {
  const value = { note: "Grüße ✓" };
  const text = JSON.stringify(value);
  const latin = { note: "Grüße" };
  let count = 0;
  const send = async (body: Uint8Array, headers: Record<string, string>) => {
    await stage.push({
      body: Buffer.from(body),
      headers: { "content-type": JSON_TYPE, ...headers },
    });
    count += 1;
    // Runs of a source without a db may end in another order.
    await stage.emitted(count);
  };
  await stage.deploy();
  await send(gzipSync(text), { "content-encoding": "gzip" });
  await send(deflateSync(text), { "content-encoding": "deflate" });
  await send(brotliCompressSync(text), { "content-encoding": "br" });
  await send(Buffer.from(`\uFEFF${text}`), {});
  const charset = "charset=iso-8859-1";
  await send(Buffer.from(JSON.stringify(latin), "latin1"), {
    "content-type": `${JSON_TYPE}; ${charset}`,
  });
  await send(form(), { "content-type": `multipart/form-data; boundary=${BOUNDARY}` });
  const large = await stage.push({ body: Buffer.alloc(600 * 1024, "x") });
  stage.equal("the response to a body that is too large", large.status, 413);
  const seen = await stage.emitted<Seen>(6);
  stage.equal(
    "the values",
    seen.slice(0, 5).map(({ body }) => body),
    [value, value, value, value, latin],
  );
  stage.equal(
    "the texts",
    seen.slice(0, 3).map(({ bodyRaw }) => bodyRaw),
    [text, text, text],
  );
  const upload = seen[5];
  stage.equal("whether the form is base64", upload?.isBase64, true);
  stage.equal("the form", Buffer.from(upload?.bodyRaw ?? "", "base64").includes(BINARY), true);
}

/** A form with a file of bytes that are no text. */
function form(): Buffer {
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\nContent-Type: application/octet-stream\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), BINARY, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]);
}

export const ENCODINGS: Scenario[] = [
  {
    protocol: "Encodings of bodies",
    component: "components/encodings/sources/new-body/new-body.mjs",
    credentials: {},
    play: encodings,
  },
];
