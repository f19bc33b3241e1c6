import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { call, type DeployedSource, endpointOf, eventsOf } from "../../tools/scripts/api.ts";
import { warningsOf } from "../../tools/scripts/local/dev-configs.ts";
import { freePort, portBecomesFree } from "../../tools/scripts/local/ports.ts";
import { endings, spawnScript, untilReady } from "../../tools/scripts/platform.ts";

const FILES = {
  "component.mjs": `
    import { greet } from "./greet.mjs";
    export default {
      name: "Greeter", version: "0.0.1", props: { http: "$.interface.http" },
      run({ body }) { this.$emit({ text: greet(body.name) }); },
    };`,
  "greet.mjs": "export const greet = (name) => `Hello, ${name}`;",
};

/** The environments of the processes that a process started. */
async function environmentsBelow(pid = 0): Promise<string[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  const pids = children.split(" ").filter((id) => id !== "");
  // A process that has ended meanwhile has none.
  return Promise.all(pids.map((id) => readFile(`/proc/${id}/environ`, "utf8").catch(() => "")));
}

test("npm run dev warns about unsupported settings", () => {
  expect(warningsOf({ ALLOW_PRIVATE_TARGETS: "true" })).toEqual([]);
  expect(warningsOf({ ALLOW_PRIVATE_TARGETS: "false" })).toEqual([
    expect.stringContaining("components reach names that resolve to private addresses"),
  ]);
});

test("npm run dev serves the platform and its bundler Worker", async () => {
  const stateDir = await mkdtemp(join(tmpdir(), "developing-"));
  onTestFinished(() => rm(stateDir, { recursive: true, force: true }));
  const [port, apiKey] = [await freePort(), randomBytes(24).toString("hex")];
  const child = spawnScript(join(import.meta.dirname, "../../tools/scripts/dev.ts"), {
    PORT: String(port),
    STATE_DIR: stateDir,
    DEV_API_KEY: apiKey,
  });
  const { stop, kill } = endings(child);
  onTestFinished(kill);
  await untilReady(child);

  expect(await environmentsBelow(child.pid)).toContainEqual(
    expect.stringContaining("MINIFLARE_WORKERD_V8_FLAGS=--initial-old-space-size=4"),
  );

  const ada = { url: `http://127.0.0.1:${port}/v1`, apiKey };
  const body = { component_files: FILES, entry: "component.mjs" };
  const { id } = await call<{ id: string }>(ada, "/components", body);
  const source = await call<DeployedSource>(ada, "/sources", { component_id: id });
  const answer = await fetch(endpointOf(source), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "Ada" }),
  });
  expect(answer.status).toBe(200);
  await expect
    .poll(async () => (await eventsOf(ada, source)).map(({ event }) => event))
    .toEqual([{ text: "Hello, Ada" }]);

  const docs = await fetch(`http://127.0.0.1:${port}/docs/`);
  expect([docs.status, await docs.text()]).toEqual([200, expect.stringContaining("What and why")]);

  const tunnel = request({ port, method: "CONNECT", path: "example.com:443" }).end();
  const [refusal] = await once(tunnel, "connect");
  expect(refusal.statusCode).toBe(405);

  // Only this user can read the file with the platform's secrets.
  for (const worker of ["platform", "bundler"])
    expect((await stat(join(stateDir, "dev", worker, ".dev.vars"))).mode & 0o777).toBe(0o600);
  await stop();
  expect(await portBecomesFree(port, 5000)).toBe(true);
});
