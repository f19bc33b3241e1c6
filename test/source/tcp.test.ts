import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, inject, test, vi } from "vitest";

import { newId } from "#domain/ids.ts";
import { carry } from "#sandbox/egress/connection.ts";
import { ownOrigins } from "#sandbox/egress/network.ts";
import { EgressTally } from "#sandbox/egress/tally.ts";

import { deploy, eventsOf, sendJson } from "../support/deploy.ts";

const PORT = inject("tcpPort");

/** A source that runs `body` with the port in its request. */
const tcpSource = (body: string) => `
  import net from "node:net";
  import tls from "node:tls";
  /** The text that a socket receives until it ends, or "failed". */
  const textOf = (socket, wanted = Infinity) => new Promise((resolve) => {
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
      if (text.length >= wanted) { resolve(text); socket.destroy(); }
    });
    socket.on("end", () => resolve(text));
    socket.on("error", () => resolve("failed"));
    socket.on("close", () => resolve(text || "failed"));
  });
  export default {
    name: "TCP", version: "0.0.1", props: { http: "$.interface.http" },
    async run({ body: { port } }) { ${body} },
  };`;

async function emittedBy(body: string, port = PORT) {
  const source = await deploy(tcpSource(body));
  expect((await sendJson(source.url, { port })).status).toBe(200);
  await expect.poll(() => eventsOf(source.stub)).not.toEqual([]);
  return (await eventsOf(source.stub)).map(({ event }) => event);
}

test("a component uses TCP in both directions, until both sides have ended", async () => {
  const events = await emittedBy(`
    const socket = net.connect({ host: "127.0.0.1", port, allowHalfOpen: true });
    socket.write("one\\ntwo\\n");
    socket.end();
    this.$emit(await textOf(socket));`);
  expect(events).toEqual(["echo:one\necho:two\nbye"]);
});

test("large data flows in both directions at once without loss", async () => {
  const [length] = await emittedBy(`
    const lines = 200;
    const socket = net.connect(port, "127.0.0.1");
    for (let i = 0; i < lines; i += 1) socket.write("x".repeat(5000) + "\\n");
    this.$emit((await textOf(socket, lines * 5006)).length);`);
  expect(length).toBe(200 * 5006);
});

test("a connection that the server ends also ends for the component", async () => {
  const events = await emittedBy(`
    const socket = net.connect(port, "127.0.0.1");
    socket.write("last\\nquit\\n");
    this.$emit(await textOf(socket));`);
  expect(events).toEqual(["echo:last\n"]);
});

test("a refused connection ends without data", async () => {
  const events = await emittedBy(`this.$emit(await textOf(net.connect(port, "127.0.0.1")))`, 9);
  expect(events).toEqual([""]);
});

test("an open connection does not prolong its run", async () => {
  const source = await deploy(
    tcpSource(`
      const socket = net.connect(port, "127.0.0.1");
      socket.write("still here\\n");
      socket.once("data", () => undefined);
      this.$emit("done");`),
  );
  await sendJson(source.url, { port: PORT });
  await expect.poll(() => eventsOf(source.stub)).toMatchObject([{ event: "done" }]);
  await evictDurableObject(source.stub);
  await sendJson(source.url, { port: PORT });
  await expect.poll(() => eventsOf(source.stub)).toHaveLength(2);
});

test("a TLS connection fails, and sends nothing unencrypted", async () => {
  const events = await emittedBy(`
    const socket = tls.connect({ host: "127.0.0.1", port });
    socket.write("secret\\n");
    this.$emit(await textOf(socket));`);
  expect(events).toEqual(["failed"]);
});

const MEANS = {
  owner: newId("user"),
  allowPrivate: false,
  gatewayUrl: "",
  ownUrls: [],
  tally: new EgressTally(),
};

/** An isolate's request for a connection: a rejected one is never opened. */
function connectionTo(localAddress: string): Socket {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- rejected before any other property is used.
  return { opened: Promise.resolve({ localAddress }) } as unknown as Socket;
}

test.for([
  "127.0.0.1:5432",
  "localhost:5432",
  "10.1.2.3:5432",
  "[::1]:5432",
  "[::ffff:192.168.0.1]:5432",
  "169.254.169.254:80",
  "db.internal:5432",
])("a deployed platform rejects connections to %s", async (address) => {
  const writeDataPoint = vi.fn<AnalyticsEngineDataset["writeDataPoint"]>();
  const refused = carry(connectionTo(address), { ...MEANS, usage: { writeDataPoint } });
  await expect(refused).rejects.toThrow("private and loopback addresses cannot be reached");
  expect(writeDataPoint).toHaveBeenCalledWith({
    indexes: [MEANS.owner],
    blobs: ["failed", "CONNECT", "loader"],
    doubles: [1, expect.any(Number), 0, 0, 0],
  });
});

test.each([
  ["https://events.example", "events.example:443"],
  ["http://127.0.0.1:8787", "127.0.0.1:8787"],
  ["http://127.0.0.1:8787", "localhost:8787"],
  ["http://127.0.0.1:8787", "[::1]:8787"],
  ["http://127.0.0.1:8787", "[::ffff:127.0.0.1]:8787"],
  ["http://[::1]:8787", "127.0.0.2:8787"],
  ["http://localhost", "127.0.0.1:80"],
])("the platform at %s rejects a connection to itself at %s", async (PUBLIC_URL, address) => {
  const ownUrls = ownOrigins({ PUBLIC_URL, EVENTS_URL: "" });
  const means = { ...MEANS, ownUrls, allowPrivate: true, usage: env.EGRESS_USAGE };
  await expect(carry(connectionTo(address), means)).rejects.toThrow("is the platform itself");
});

test("no connection bypasses an egress gateway", async () => {
  const means = { ...MEANS, gatewayUrl: "https://gateway.test/", usage: env.EGRESS_USAGE };
  await expect(carry(connectionTo("db.example.com:5432"), means)).rejects.toThrow("egress gateway");
});

test("a connection is counted for its owner at its end, to the byte", async () => {
  const writeDataPoint = vi.fn<AnalyticsEngineDataset["writeDataPoint"]>();
  const received: string[] = [];
  const inbound = {
    opened: Promise.resolve({ localAddress: `127.0.0.1:${PORT}` }),
    readable: new Blob(["one\ntwo\n"]).stream(),
    writable: new WritableStream<Uint8Array>({
      write: (chunk) => void received.push(new TextDecoder().decode(chunk)),
    }),
  } as unknown as Socket;
  await carry(inbound, { ...MEANS, allowPrivate: true, usage: { writeDataPoint } });
  expect(received.join("")).toBe("echo:one\necho:two\nbye");
  expect(writeDataPoint.mock.calls).toEqual([
    [
      {
        indexes: [MEANS.owner],
        blobs: ["2xx", "CONNECT", "loader"],
        doubles: [1, expect.any(Number), "one\ntwo\n".length, "echo:one\necho:two\nbye".length, 0],
      },
    ],
  ]);
  const report = vi.fn<(sums: unknown[]) => Promise<void>>(async () => undefined);
  await MEANS.tally.settle(report, 1);
  expect(report.mock.calls[0]?.[0]).toMatchObject([{ ownerId: MEANS.owner, sentBytes: 8 }]);
});
