// @runs first

import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { expect, onTestFinished, test } from "vitest";

import { call, deploy, deployWorkflow, endpointOf } from "../../tools/scripts/api.ts";
import { databaseIn } from "../../tools/scripts/backup/database-file.ts";
import { freePort } from "../../tools/scripts/local/ports.ts";
import { startPlatform } from "../../tools/scripts/platform.ts";

const PUBLISHED = `export default { key: "left-behind", name: "N", version: "0.0.1", type: "action", run() {} };`;

/** One more than the 50 rows of a kind that a sweep deletes. */
const MORE_THAN_A_SWEEP = 51;

/** A server that responds only after its release. */
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

test("interrupted work resumes soon after the restart", async () => {
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
  await expect.poll(() => [...state.paths].toSorted()).toEqual(held);
  // Its message is likely still in the queue, which does not survive the process.
  await send("sent");
  await killed.kill();

  state.paths.clear();
  state.hangs = false;
  const restarted = await startPlatform({ stateDir, port });
  onTestFinished(restarted.stop);
  // Within 5 s if the machine is idle.
  await expect
    .poll(() => [...state.paths].toSorted(), { timeout: 30_000 })
    .toEqual([...held, '/hook "sent"', '/run "sent"'].toSorted());
});

/** The number of an owner's rows in each table, read beside the running platform. */
async function countsOf(stateDir: string, owner: string): Promise<Record<string, number>> {
  const database = new DatabaseSync(await databaseIn(stateDir), { readOnly: true });
  try {
    return Object.fromEntries(
      ["webhooks", "workflows", "components", "registry_versions"].map((table) => {
        const statement = database.prepare(`SELECT count(*) AS n FROM ${table} WHERE owner_id = ?`);
        return [table, Number(statement.get(owner)?.["n"])];
      }),
    );
  } finally {
    database.close();
  }
}

test("a restart completes a user's deletion that a kill interrupted", async () => {
  const stateDir = await mkdtemp(join(tmpdir(), "deleting-"));
  onTestFinished(() => rm(stateDir, { recursive: true, force: true }));
  const killed = await startPlatform({ stateDir });
  onTestFinished(killed.kill);
  const operator = { url: killed.url.replace(/v1$/, "admin"), apiKey: killed.adminToken };
  const named = { username: "ada", email: "ada@example.com" };
  const user = await call<{ id: string; api_key: string }>(operator, "/users", named);
  const ada = { url: killed.url, apiKey: user.api_key };
  for (let n = 0; n < MORE_THAN_A_SWEEP; n += 1)
    await call(ada, "/webhooks", { url: `http://127.0.0.1:9/${n}` });
  const steps = [{ name: "one", component_code: "export default () => 1" }];
  await call(ada, "/workflows", { name: "Flow", trigger: { type: "http" }, steps });
  await call(ada, "/registry", { component_code: PUBLISHED });

  const deletion = { method: "DELETE", headers: { authorization: `Bearer ${operator.apiKey}` } };
  const answer = await fetch(`${operator.url}/users/${user.id}?force=true`, deletion);
  await killed.kill();
  expect(answer.status).toBe(202);
  expect((await countsOf(stateDir, user.id))["webhooks"]).toBeGreaterThan(0);

  const restarted = await startPlatform({ stateDir });
  onTestFinished(restarted.kill);
  const me = { headers: { authorization: `Bearer ${user.api_key}` } };
  expect((await fetch(`${restarted.url}/users/me`, me)).status).toBe(401);
  await expect
    .poll(() => countsOf(stateDir, user.id), { interval: 1000 })
    .toEqual({ webhooks: 0, workflows: 0, components: 0, registry_versions: 0 });
});
