import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { expect, onTestFinished, test } from "vitest";

import { drain } from "../../tools/scripts/local/drain.ts";
import { INNER_HOST } from "../../tools/scripts/local/inner-host.ts";
import { freePort } from "../../tools/scripts/local/ports.ts";

test("a drain of an unresponsive runtime resolves to undefined", async () => {
  const port = await freePort();
  expect(await drain({ address: { port, token: "t" }, withinMs: 5000 })).toBeUndefined();
});

test("a drain reports the remaining work on its timeout", async () => {
  const server = createServer((_, response) => response.end('{"requests":0,"runs":2}'));
  server.listen(0, INNER_HOST);
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  expect(await drain({ address: { port, token: "t" }, withinMs: 200 })).toEqual({
    requests: 0,
    runs: 2,
  });
});
