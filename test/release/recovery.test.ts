import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { call, deploy, deployWorkflow, endpointOf } from "../../tools/scripts/api.ts";
import { freePort } from "../../tools/scripts/local/ports.ts";
import { startPlatform } from "../../tools/scripts/platform.ts";

/** A server that answers only once it is told to. */
async function hangingServer() {
  const state = { hangs: true, paths: new Set<string>() };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      state.paths.add(`${request.url} ${Buffer.concat(chunks).toString()}`);
      if (!state.hangs) response.end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server on a port has a port.
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, state };
}

const EMITTER = `export default {
  name: "Emitter", version: "0.0.1", type: "source", props: { http: "$.interface.http" },
  run({ body }) { this.$emit(body.id); },
};`;

const fetcher = (url: string) => `export default {
  name: "Fetcher", version: "0.0.1", type: "source",
  async run(event) { await fetch("${url}", { method: "POST", body: JSON.stringify(event) }); },
};`;

const step = (url: string) => `export default {
  name: "Step", version: "0.0.1", type: "action",
  async run() { await fetch("${url}", { method: "POST" }); },
};`;

test("what a kill interrupts goes on within 5 s of the restart", async () => {
  const { url, state } = await hangingServer();
  const stateDir = await mkdtemp(join(tmpdir(), "recovering-"));
  onTestFinished(() => rm(stateDir, { recursive: true, force: true }));
  const port = await freePort();
  const killed = await startPlatform({ stateDir, port });
  onTestFinished(killed.kill);
  const emitter = await deploy(killed, EMITTER, "emitter");
  const listener = await deploy(killed, fetcher(`${url}/run`), "listener");
  const webhook = await call<{ id: string }>(killed, "/webhooks", { url: `${url}/hook` });
  const workflow = await deployWorkflow(killed, [step(`${url}/step`)]);
  for (const listener_id of [listener.id, webhook.id])
    await call(killed, "/subscriptions", { emitter_id: emitter.id, listener_id });
  const send = (id: string) =>
    fetch(endpointOf(emitter), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ id }),
    });

  await fetch(workflow.trigger.endpoint_url, { method: "POST" });
  await send("held");
  const held = ['/hook "held"', '/run "held"', "/step "];
  await expect.poll(() => [...state.paths].toSorted(), { timeout: 15_000 }).toEqual(held);
  // Its message is likely still in the queue, which does not outlive the process.
  await send("sent");
  await killed.kill();

  state.paths.clear();
  state.hangs = false;
  const restarted = await startPlatform({ stateDir, port });
  onTestFinished(restarted.stop);
  await expect
    .poll(() => [...state.paths].toSorted(), { timeout: 5000 })
    .toEqual([...held, '/hook "sent"', '/run "sent"'].toSorted());
});
