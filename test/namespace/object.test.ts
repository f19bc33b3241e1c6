import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";

import { newId, newToken } from "#domain/ids.ts";
import { NamespaceApi } from "#durable-objects/dispatch-namespace/api.ts";
import { GRACE_MS } from "#durable-objects/dispatch-namespace/script-registry.ts";
import { openCodeStore } from "#sandbox/code-store.ts";
import { scriptForm, type ScriptKey, scriptName, tagsOf } from "#sandbox/script.ts";

import { callsAbout, plan, uploaded } from "../support/cloudflare/client.ts";
import { oneModule } from "../support/deploy.ts";
import { movableClock } from "../support/movable-clock.ts";
import { interruptUpload, passTimeOfScripts } from "../support/stored-scripts.ts";

const CODE = `export default { name: "x", version: "0.0.1", type: "action", run() {} }`;

const keeper = env.SCRIPTS.getByName(env.DISPATCH_NAMESPACE);

/** Code in the store, and the name of its script. */
async function newCode(code = CODE): Promise<ScriptKey & { name: string }> {
  const key = { owner: newId("user"), bundleHash: newToken() };
  await openCodeStore(env.CODE).putBundle(oneModule(key.bundleHash, code));
  return { ...key, name: await scriptName(key) };
}

/** The names of all scripts that the keeper would look up next. */
async function known(): Promise<string[]> {
  return (await keeper.leastChecked(1000)).map(({ name }) => name);
}

test("uploads code on the first request, and never again", async () => {
  const code = await newCode();
  expect(await keeper.provide(code)).toEqual({ kind: "script" });
  expect(await keeper.provide(code)).toEqual({ kind: "script" });
  expect(await callsAbout(code.name)).toEqual(["PUT"]);
  expect(await known()).toContain(code.name);
});

test("many simultaneous requests cause one upload", async () => {
  const code = await newCode();
  const homes = await Promise.all(Array.from({ length: 10 }, () => keeper.provide(code)));
  expect(new Set(homes.map(({ kind }) => kind))).toEqual(new Set(["script"]));
  expect(await callsAbout(code.name)).toEqual(["PUT"]);
});

test("two owners of the same code never share a script", async () => {
  const code = await newCode();
  const other = { ...code, owner: newId("user") };
  expect(await scriptName(other)).not.toBe(code.name);
  expect(await scriptName(other)).toMatch(/^[a-z0-9_][a-z0-9-_]{0,62}$/);
});

test("waits for an uploaded script until it can be called", async () => {
  const code = await newCode();
  await plan(code.name, { callableAfterMs: 60_000 });
  let hasEnded = false;
  const providing = Promise.resolve(keeper.provide(code)).finally(() => (hasEnded = true));
  await expect.poll(() => callsAbout(code.name)).toEqual(["PUT"]);
  // Longer than one request for it takes.
  await callsAbout(code.name);
  expect(hasEnded).toBe(false);
  await plan(code.name, {});
  expect(await providing).toEqual({ kind: "script" });
  expect(await callsAbout(code.name)).toEqual(["PUT"]);
});

test("uploads a deleted script again, but not repeatedly", async () => {
  const code = await newCode();
  await keeper.provide(code);
  await remove(code.name);
  await vi.waitFor(async () => {
    const home = await keeper.provide({ ...code, isMissing: true });
    expect(home).toMatchObject({ kind: "failed", retryAfterMs: expect.any(Number) });
  }, 15_000);
  await passTimeOfScripts(60_000);
  expect(await keeper.provide({ ...code, isMissing: true })).toEqual({ kind: "script" });
  expect(await uploaded(code.name)).not.toBeNull();
  expect(await keeper.provide({ ...code, isMissing: true })).toEqual({ kind: "script" });
  expect(await callsAbout(code.name)).toEqual(["PUT", "DELETE", "PUT"]);
});

async function remove(name: string): Promise<void> {
  await apiOf().remove(name);
}

function apiOf(): NamespaceApi {
  return new NamespaceApi({
    url: env.CLOUDFLARE_API_URL,
    accountId: env.CLOUDFLARE_ACCOUNT_ID,
    namespace: env.DISPATCH_NAMESPACE,
    token: env.CLOUDFLARE_API_TOKEN ?? "",
  });
}

function refusal(status: number, code: number) {
  const errors = [{ code, message: "no" }];
  return { status, text: JSON.stringify({ success: false, errors, messages: [], result: null }) };
}

test("a rejected upload returns the reason, and the next request retries", async () => {
  const code = await newCode();
  await plan(code.name, { faults: [{ answer: refusal(400, 10_021) }] });
  expect(await keeper.provide(code)).toEqual({
    kind: "failed",
    message: "Cloudflare's API responded with 400: no (10021)",
    retryAfterMs: 60_000,
  });
  expect(await keeper.provide(code)).toEqual({ kind: "script" });
});

test("code that is not in the store gets no script", async () => {
  const key = { owner: newId("user"), bundleHash: newToken() };
  expect(await keeper.provide(key)).toMatchObject({ kind: "failed" });
  expect(await callsAbout(await scriptName(key))).toEqual([]);
});

test.for(["node:net", "node:tls", "cloudflare:sockets"])(
  "code that imports %s runs through the loader",
  async (specifier) => {
    const code = await newCode(`import * as net from "${specifier}"; ${CODE}`);
    expect(await keeper.provide(code)).toEqual({ kind: "loader" });
    expect(await keeper.provide(code)).toEqual({ kind: "loader" });
    expect(await callsAbout(code.name)).toEqual([]);
  },
);

test("code that is too large for a script runs through the loader", async () => {
  const code = await newCode();
  await plan(code.name, { faults: [{ answer: refusal(413, 10_027) }] });
  expect(await keeper.provide(code)).toEqual({ kind: "loader" });
});

test("does not read code with packages that are too large to upload", async () => {
  const code = { owner: newId("user"), bundleHash: newToken() };
  // Its packages are not in the store: reading them would fail.
  await openCodeStore(env.CODE).putBundle({
    ...oneModule(code.bundleHash, CODE),
    packageCharacters: 25 * 2 ** 20,
    dependencies: { hash: newToken(), modules: {}, parts: 6 },
  });
  expect(await keeper.provide(code)).toEqual({ kind: "loader" });
  expect(await callsAbout(await scriptName(code))).toEqual([]);
});

test("deletes a script after a day without use, and not before", async () => {
  const { name, ...key } = await newCode();
  await keeper.provide(key);
  await keeper.settle([{ name, isUsed: false }]);
  await passTimeOfScripts(GRACE_MS - 60_000);
  await keeper.settle([{ name, isUsed: false }]);
  expect(await uploaded(name)).not.toBeNull();

  await passTimeOfScripts(60_000);
  expect(await keeper.settle([{ name, isUsed: false }])).toBeGreaterThan(0);
  expect(await uploaded(name)).toBeNull();
  expect(await known()).not.toContain(name);
});

test("keeps a script that was used again meanwhile", async () => {
  const [used, requested] = [await newCode(), await newCode()];
  for (const code of [used, requested]) await keeper.provide(code);
  const settle = (isUsed: boolean) =>
    keeper.settle([
      { name: used.name, isUsed },
      { name: requested.name, isUsed: false },
    ]);
  await settle(false);
  await passTimeOfScripts(GRACE_MS);
  // Requested after the lookup of its use: a source that is being deployed has no row yet.
  await keeper.provide(requested);
  await settle(true);
  await passTimeOfScripts(GRACE_MS / 2);
  await settle(false);
  for (const { name } of [used, requested]) expect(await uploaded(name)).not.toBeNull();
});

test("the next sweep retries a failed deletion, which delays no other", async () => {
  const [first, second] = [await newCode(), await newCode()];
  for (const code of [first, second]) await keeper.provide(code);
  const unused = [first, second].map(({ name }) => ({ name, isUsed: false }));
  await keeper.settle(unused);
  await passTimeOfScripts(GRACE_MS);
  await plan(first.name, { faults: [{ answer: refusal(403, 10_000) }] });
  await keeper.settle(unused);
  expect(await uploaded(first.name)).not.toBeNull();
  expect(await uploaded(second.name)).toBeNull();
  await keeper.settle([]);
  expect(await uploaded(first.name)).toBeNull();
});

test("finds a script that only the namespace lists, and ignores scripts of others", async () => {
  const { name, ...key } = await newCode();
  const form = scriptForm(oneModule(key.bundleHash, CODE), tagsOf(key));
  await apiOf().upload(name, form);
  const foreign = `foreign-${newToken().toLowerCase()}`;
  await apiOf().upload(foreign, form);
  await passTimeOfScripts(0);
  await vi.waitFor(async () => {
    await keeper.settle([]);
    expect(await keeper.leastChecked(1000)).toContainEqual({ name, ...key });
  }, 15_000);
  expect(await known()).not.toContain(foreign);
});

test("uploads a script again that is requested during its deletion", async () => {
  const code = await newCode();
  await keeper.provide(code);
  await keeper.settle([{ name: code.name, isUsed: false }]);
  await passTimeOfScripts(GRACE_MS);
  await plan(code.name, { faults: [{ method: "DELETE", afterMs: 500 }] });
  const sweeping = keeper.settle([{ name: code.name, isUsed: false }]);
  await vi.waitFor(async () => expect(await callsAbout(code.name)).toContain("DELETE"), 15_000);
  expect(await keeper.provide(code)).toEqual({ kind: "script" });
  expect(await sweeping).toBeGreaterThan(0);
  expect(await callsAbout(code.name)).toEqual(["PUT", "DELETE", "PUT"]);
  expect(await uploaded(code.name)).not.toBeNull();
});

test("keeps a script that is requested just before its deletion", async () => {
  // The sweep deletes scripts with the same idle time in the order of their names.
  const codes = [await newCode(), await newCode()];
  const [busy, code] = codes.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  if (!busy || !code) throw new Error("There are two");
  for (const one of [busy, code]) await keeper.provide(one);
  const unused = [busy, code].map(({ name }) => ({ name, isUsed: false }));
  await keeper.settle(unused);
  await passTimeOfScripts(GRACE_MS);
  await plan(busy.name, { faults: [{ method: "DELETE", afterMs: 500 }] });
  const sweeping = keeper.settle(unused);
  await vi.waitFor(async () => expect(await callsAbout(busy.name)).toContain("DELETE"), 15_000);
  expect(await keeper.provide(code)).toEqual({ kind: "script" });
  await sweeping;
  expect(await callsAbout(code.name)).toEqual(["PUT"]);
  expect(await uploaded(code.name)).not.toBeNull();
});

test("a script that cannot be called yet is not used until it can", async () => {
  const code = await newCode();
  await plan(code.name, { callableAfterMs: 60_000 });
  const home = await movableClock().during(keeper.provide(code));
  expect(home).toEqual({
    kind: "failed",
    message: "It was uploaded, but cannot be called yet",
    retryAfterMs: 1000,
  });
  await plan(code.name, {});
  expect(await keeper.provide(code)).toEqual({ kind: "script" });
});

test("repeats an upload that a crash interrupted", async () => {
  const code = await newCode();
  await keeper.provide(code);
  await interruptUpload(code.name);
  await evictDurableObject(keeper);
  expect(await keeper.provide(code)).toEqual({ kind: "script" });
  expect(await callsAbout(code.name)).toEqual(["PUT", "PUT"]);
});
