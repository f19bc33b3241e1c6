import { once } from "node:events";
import { connect } from "node:net";

import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { expect, onTestFinished, test } from "vitest";

import { freePort } from "../../tools/scripts/local/ports.ts";
import { closeRpc, RPC_HOST } from "../../tools/scripts/local/private-rpc.ts";

/** The status that a CONNECT to a host gets. */
async function statusOf(port: number, host: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.write(`CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  const [bytes] = await once(socket, "data");
  return String(bytes).split(" ")[1] ?? "";
}

test("a runtime accepts RPC only from clients that know the name of this run", async () => {
  closeRpc();
  const port = await freePort();
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      workers: [
        {
          name: "closed",
          modules: true,
          script: "export default { fetch: () => new Response() };",
          compatibilityDate: "2026-10-01",
          unsafeDirectSockets: [{ host: "127.0.0.1", port }],
        },
      ],
    }),
  );
  onTestFinished(() => miniflare.dispose());
  await miniflare.ready;

  expect(await statusOf(port, "miniflare-unsafe-internal-capnp-connect")).not.toBe("200");
  expect(await statusOf(port, RPC_HOST)).toBe("200");
});
