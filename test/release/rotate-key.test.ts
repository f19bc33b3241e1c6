import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { call, type DeployedSource, endpointOf, eventsOf } from "../../tools/scripts/api.ts";
import { rotateKey } from "../../tools/scripts/deploy/rotation.ts";
import { readSecrets, type Secrets, writeSecrets } from "../../tools/scripts/deploy/secrets.ts";
import { rotateStateKey } from "../../tools/scripts/deploy/state-rotation.ts";
import { freePort } from "../../tools/scripts/local/ports.ts";
import { type RunningPlatform, startPlatform } from "../../tools/scripts/platform.ts";

const KEEPING = `export default {
  name: "Keeping", version: "0.0.1",
  props: { http: "$.interface.http", token: { type: "string", secret: true } },
  run() { this.$emit({ token: this.token }); },
};`;

/** A platform with replaceable secrets, like a deployed one: it restarts with them. */
async function platformWith(secrets: Secrets) {
  const stateDir = await mkdtemp(join(tmpdir(), "rotation-"));
  const port = await freePort();
  const uploaded = { ...secrets };
  let platform: RunningPlatform | undefined;
  const upload = async (changed: Secrets): Promise<void> => {
    await platform?.stop();
    Object.assign(uploaded, changed);
    platform = await startPlatform({ stateDir, port, variables: uploaded });
  };
  onTestFinished(async () => {
    await platform?.stop();
    await rm(stateDir, { recursive: true, force: true });
  });
  await upload({});
  const origin = `http://127.0.0.1:${port}`;
  const caller = () => ({ url: `${origin}/v1`, apiKey: platform?.apiKey ?? "" });
  return { origin, upload, uploaded, caller };
}

test("the key of a state folder is rotated while no platform runs, and the secrets remain", async () => {
  const stateDir = await mkdtemp(join(tmpdir(), "rotation-"));
  let platform: RunningPlatform | undefined;
  onTestFinished(async () => {
    await platform?.stop();
    await rm(stateDir, { recursive: true, force: true });
  });
  const file = join(stateDir, "secrets.env");
  const start = async () => (platform = await startPlatform({ stateDir }));
  const rotate = () => rotateStateKey({ stateDir, environment: {} }, () => {});
  const first = await start();
  const source = await call<DeployedSource>(first, "/sources", {
    component_code: KEEPING,
    configured_props: { token: "of the component" },
  });
  const lastToken = async (running: RunningPlatform, count: number) => {
    await fetch(new URL(new URL(endpointOf(source)).pathname, running.url), { method: "POST" });
    await expect.poll(() => eventsOf(running, source)).toHaveLength(count);
    return (await eventsOf(running, source))[0]?.event["token"];
  };
  await expect(rotate()).rejects.toThrow(`A platform runs on ${stateDir}`);
  await first.stop();

  // An interrupted rotation: a start reads both keys from the folder.
  const { MASTER_KEY: old = "", ...others } = await readSecrets(file);
  const kept = { ...others, MASTER_KEY: "cd".repeat(32), PREVIOUS_MASTER_KEYS: old };
  await writeSecrets(file, kept);
  const second = await start();
  expect(await lastToken(second, 1)).toBe("of the component");
  await second.stop();

  const given = { stateDir, environment: { MASTER_KEY: old } };
  await expect(rotateStateKey(given, () => {})).rejects.toThrow("MASTER_KEY is set in");
  await rotate();
  expect(await readSecrets(file)).toEqual({ ...others, MASTER_KEY: "cd".repeat(32) });
  await rotate();
  const { MASTER_KEY, PREVIOUS_MASTER_KEYS } = await readSecrets(file);
  expect([old, "cd".repeat(32)]).not.toContain(MASTER_KEY);
  expect(PREVIOUS_MASTER_KEYS).toBeUndefined();
  expect(await lastToken(await start(), 2)).toBe("of the component");
});

test("a rotation of the master key keeps the secrets, and the old key decrypts none of them", async () => {
  const secretsFolder = await mkdtemp(join(tmpdir(), "secrets-"));
  onTestFinished(() => rm(secretsFolder, { recursive: true }));
  const file = join(secretsFolder, "production.env");
  const first = { ADMIN_TOKEN: "operator", MASTER_KEY: "ab".repeat(32) };
  await writeSecrets(file, first);
  const { origin, upload, uploaded, caller } = await platformWith(first);
  const source = await call<DeployedSource>(caller(), "/sources", {
    component_code: KEEPING,
    configured_props: { token: "of the component" },
  });
  let triggered = 0;
  const lastToken = async () => {
    await fetch(endpointOf(source), { method: "POST" });
    triggered += 1;
    await expect.poll(() => eventsOf(caller(), source)).toHaveLength(triggered);
    const [newest] = await eventsOf(caller(), source);
    return newest?.event["token"];
  };
  const lines: string[] = [];
  const rotate = (finish: boolean, interrupted = false) =>
    rotateKey(
      { environment: "production", origin: interrupted ? "http://127.0.0.1:1" : origin, finish },
      { print: (line) => lines.push(line), secretsFolder, upload },
    );

  // An interrupted first run has stored the new key, and the next one continues with it.
  await expect(rotate(false, true)).rejects.toThrow("fetch failed");
  const kept = await readFile(file, "utf8");
  expect(kept).toContain(`PREVIOUS_MASTER_KEYS=${first.MASTER_KEY}`);
  await rotate(false);
  expect(await readFile(file, "utf8")).toBe(kept);
  expect(await lastToken()).toBe("of the component");

  await rotate(true);
  expect(await readFile(file, "utf8")).not.toContain(first.MASTER_KEY);
  expect(uploaded["PREVIOUS_MASTER_KEYS"]).not.toContain(first.MASTER_KEY);
  expect(await lastToken()).toBe("of the component");
  expect(lines.join("\n")).toContain("1 apps, accounts, sources and workflows checked, 0 left");
  for (const line of lines) expect(line).not.toContain(uploaded["MASTER_KEY"]);
});
