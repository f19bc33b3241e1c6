import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, Server, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";

import { expect, onTestFinished, test, vi } from "vitest";

import { openFront } from "../../tools/scripts/local/front.ts";
import { freePort, portBecomesFree } from "../../tools/scripts/local/ports.ts";
import { TrustedProxies } from "../../tools/scripts/local/trusted-proxies.ts";
import { POLL_TIMEOUT_MS } from "../support/timeouts.ts";

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
  const listening = vi.spyOn(Server.prototype, "listen");
  onTestFinished(() => listening.mockRestore());
  const opening = openFront(optionsOf(port));
  await expect.poll(() => listening.mock.calls.length).toBeGreaterThan(1);
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
});

const PORTS = join(import.meta.dirname, "../../tools/scripts/local/ports.ts");

/** Ports that another process has picked, on which it does not listen yet. */
async function pickedElsewhere(count: number): Promise<number[]> {
  const code = `import { freePort } from ${JSON.stringify(pathToFileURL(PORTS).href)};
    const ports = [];
    while (ports.length < ${count}) ports.push(await freePort());
    console.log(JSON.stringify(ports));
    process.stdin.resume();`;
  const child = spawn(process.execPath, ["--no-warnings", "--input-type=module", "--eval", code]);
  onTestFinished(() => void child.kill());
  const [line] = await once(createInterface(child.stdout), "line");
  return JSON.parse(String(line)) as number[];
}

test("no port is picked twice, by this process or another, nor one with a pending listener", async () => {
  const own = await freePort();
  expect(await portBecomesFree(own, 0)).toBe(true);
  const ports = [own, ...(await pickedElsewhere(300))];
  for (let count = 0; count < 400; count += 1) ports.push(await freePort());
  expect(new Set(ports).size).toBe(ports.length);
});

/** A front before a runtime that sends a response to each connection, and closes it after its requests. */
async function frontOf(response = Buffer.alloc(0)): Promise<number> {
  const runtime = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("error", () => {}).resume();
    socket.on("end", () => socket.end());
    if (response.length > 0) socket.write(response);
  }).listen(0, "127.0.0.1");
  await once(runtime, "listening");
  onTestFinished(() => void runtime.close());
  const address = runtime.address();
  const runtimePort = typeof address === "object" && address !== null ? address.port : 0;
  const port = await freePort();
  const front = await openFront({ ...optionsOf(port), runtimePort });
  onTestFinished(front.close);
  return port;
}

/** What a client reads after it could send all of its body, or the code of its error. */
async function answerTo(port: number, head: string, pieces: number): Promise<string> {
  const piece = Buffer.alloc(50_000);
  const client = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  let answer = "";
  client.on("data", (bytes) => (answer += String(bytes)));
  client.write(`${head}\r\ncontent-length: ${pieces * piece.length}\r\n\r\n`);
  Readable.from(Array.from({ length: pieces }, () => piece)).pipe(client);
  try {
    await Promise.all([once(client, "end"), once(client, "finish")]);
    return answer;
  } catch (error) {
    return String(Reflect.get(Object(error), "code"));
  }
}

test("a client that still sends its body reads the response to a refused request", async () => {
  const port = await frontOf();
  const head = "BREW / HTTP/1.1\r\nhost: localhost";
  for (const pieces of [12, 40, 160, 12])
    expect(await answerTo(port, head, pieces)).toMatch(/^HTTP\/1\.1 501 /);
});

test("the front reads no endless body of a refused request", async () => {
  const port = await frontOf();
  const head = "BREW / HTTP/1.1\r\nhost: localhost";
  expect(await answerTo(port, head, 2000)).toMatch(/^(?:ECONNRESET|EPIPE)$/);
});

const LARGE = Buffer.alloc(20_000_000);

/** A client that has received the begin of a large response, and reads no more. */
async function stuckAt(port: number): Promise<{ client: Socket; isClosed: () => boolean }> {
  const client = connect({ port, host: "127.0.0.1" });
  client.write("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n");
  await once(client, "readable");
  const state = { isClosed: false };
  client.on("error", () => {}).on("close", () => (state.isClosed = true));
  onTestFinished(() => void client.destroy());
  return { client, isClosed: () => state.isClosed };
}

test("a client that takes nothing of its response for a minute is dropped, and one that reads is not", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const port = await frontOf(Buffer.concat([LARGE, LARGE, LARGE, LARGE, LARGE]));
  const [stuck, slow] = [await stuckAt(port), await stuckAt(port)];
  for (let minute = 0; minute < 3; minute += 1) {
    vi.advanceTimersByTime(40_000);
    // More than the buffers between both ends hold, so that some was sent.
    const next = slow.client.bytesRead + 12_000_000;
    // Not much more either: on a fast machine, one round would read what the next one waits for.
    const read = () => {
      if (slow.client.bytesRead > next) slow.client.pause();
    };
    slow.client.on("data", read).resume();
    await expect.poll(() => slow.client.isPaused()).toBe(true);
    slow.client.off("data", read);
  }
  // The kernel may have taken some bytes of the stuck one late.
  vi.advanceTimersByTime(40_000);
  stuck.client.resume();
  await expect.poll(stuck.isClosed).toBe(true);
  expect(stuck.client.bytesRead).toBeLessThan(LARGE.length);
  expect(slow.isClosed()).toBe(false);
});

test("of many clients at one address that take nothing, the last twenty are kept", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const port = await frontOf(LARGE);
  const clients = [];
  // More than two beyond the bound: the last ones may still take something.
  for (let count = 0; count < 30; count += 1) clients.push(await stuckAt(port));
  vi.advanceTimersByTime(8000);
  const [first] = clients;
  first?.client.resume();
  await expect.poll(() => first?.isClosed()).toBe(true);
  expect(first?.client.bytesRead).toBeLessThan(LARGE.length);
  const last = clients.slice(-20).map(({ client }) => client.resume());
  const areComplete = () => last.every(({ bytesRead }) => bytesRead === LARGE.length);
  await expect.poll(areComplete, { timeout: POLL_TIMEOUT_MS }).toBe(true);
});
