import { exports } from "cloudflare:workers";
import { expect, test } from "vitest";

import { signUp } from "../support/client.ts";
import { deploy } from "../support/deploy.ts";

const SOURCE = `export default { props: { http: "$.interface.http" }, run() {} }`;

const PIECE_BYTES = 64 * 1024;

/** A body of so many pieces, and the number of those that were read. */
function pieces(count: number) {
  const read = { pieces: 0 };
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (read.pieces === count) return controller.close();
        read.pieces += 1;
        controller.enqueue(new Uint8Array(PIECE_BYTES));
      },
    },
    { highWaterMark: 0 },
  );
  return { body, read };
}

async function post(path: string, body: ReadableStream, headers: Record<string, string> = {}) {
  const url = new URL(path, "http://wellspring.test");
  const response = await exports.default.fetch(url, { method: "POST", body, headers });
  await response.arrayBuffer();
  return response.status;
}

test.for([
  ["an unknown endpoint", `/e/${"a".repeat(52)}`, 404],
  ["no endpoint at all", "/e/none", 404],
  ["the API without a key", "/v1/sources", 401],
  ["a page that takes no body", "/health", 405],
] as const)("%s reads a refused body to its end", async ([, path, status]) => {
  const { body, read } = pieces(40);
  expect(await post(path, body)).toBe(status);
  expect(read.pieces).toBe(40);
});

test("a body over a limit is read to its end, by an endpoint and by the API", async () => {
  const { url } = await deploy(SOURCE);
  const event = pieces(40);
  expect(await post(url, event.body)).toBe(413);
  expect(event.read.pieces).toBe(40);
  const ada = await signUp();
  const parameters = pieces(100);
  const headers = { "content-type": "application/json" };
  expect(await ada.post("/sources", parameters.body, headers)).toMatchObject({ status: 413 });
  expect(parameters.read.pieces).toBe(100);
});

test("a refused body is read for at most 8 MB more", async () => {
  const { body, read } = pieces(10_000);
  expect(await post("/e/none", body)).toBe(404);
  expect(read.pieces).toBeLessThan(200);
  expect(read.pieces).toBeGreaterThanOrEqual(128);
});

test("a refused body that declares more is not read", async () => {
  const { body, read } = pieces(10_000);
  const headers = { "content-length": String(10_000 * PIECE_BYTES) };
  expect(await post("/e/none", body, headers)).toBe(404);
  expect(read.pieces).toBeLessThan(10);
});
