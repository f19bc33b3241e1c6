import { once } from "node:events";
import { connect } from "node:net";

import { expect, onTestFinished } from "vitest";

import { serve } from "./serve.ts";

/** A server that components call to wait until a test opens it. */
export async function newGate() {
  const { promise, resolve: open } = Promise.withResolvers<void>();
  let requests = 0;
  const { origin: url, close } = await serve(async (_, response) => {
    requests += 1;
    await promise;
    response.end();
  });
  onTestFinished(close);
  return { url, requests: () => requests, open };
}

/** Wait until a platform accepts no connections any more. */
export async function untilClosed(url: string): Promise<void> {
  const { hostname: host, port } = new URL(url);
  const refusal = async () => {
    const socket = connect({ host, port: Number(port) });
    const outcome = await once(socket, "connect").then(() => "", String);
    socket.destroy();
    return outcome;
  };
  await expect.poll(refusal, { timeout: 30_000 }).toContain("ECONNREFUSED");
}
