import { once } from "node:events";
import { connect, createServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

import { expect, onTestFinished, test } from "vitest";

import { openFront } from "../../tools/scripts/local/front.ts";
import { freePort, portBecomesFree } from "../../tools/scripts/local/ports.ts";
import { TrustedProxies } from "../../tools/scripts/local/trusted-proxies.ts";

async function taken(): Promise<{ port: number; release: () => void }> {
  const port = await freePort();
  const server = createServer().listen(port, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { port, release: () => void server.close() };
}

const optionsOf = (port: number) => ({
  host: "127.0.0.1",
  port,
  runtimePort: 1,
  proxies: new TrustedProxies(""),
});

test("a start waits for a port that another process is about to free", async () => {
  const { port, release } = await taken();
  const opening = openFront(optionsOf(port));
  await wait(300);
  release();
  const front = await opening;
  onTestFinished(front.close);
  const client = connect(port, "127.0.0.1");
  await expect(once(client, "connect")).resolves.toEqual([]);
  client.destroy();
});

test("a start rejects a port that another process keeps, with the next step", async () => {
  const { port } = await taken();
  await expect(openFront(optionsOf(port))).rejects.toThrow(
    `Port ${port} was taken during the start. Choose another with PORT=…`,
  );
}, 20_000);

test("no port is picked twice, nor one with a pending listener", async () => {
  const own = await freePort();
  expect(await portBecomesFree(own, 0)).toBe(true);
  const ports = [own];
  for (let count = 0; count < 400; count += 1) ports.push(await freePort());
  expect(new Set(ports).size).toBe(ports.length);
});
