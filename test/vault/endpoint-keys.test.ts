import { expect, test } from "vitest";

import { emitterOfKey } from "#domain/endpoint-keys.ts";
import { newId, newToken } from "#domain/ids.ts";
import { createEndpointKey } from "#services/endpoint-keys.ts";
import { openVault } from "#vault/vault.ts";

const ONE = "11".repeat(32);
const TWO = "22".repeat(32);

const id = newId("workflow");
const key = await createEndpointKey({ vault: openVault({ MASTER_KEY: ONE }) }, id);

test("a signed key has the form of earlier ones", () => {
  expect(key).toMatch(/^p[0-9a-z]{52}$/);
  expect(emitterOfKey(key)).toBe(id);
});

test("a key is signed by the current master key or by a previous one", async () => {
  const isSignedBy = (keys: Parameters<typeof openVault>[0]) =>
    openVault(keys).isSignedEndpointKey(key);
  expect(await isSignedBy({ MASTER_KEY: ONE })).toBe(true);
  expect(await isSignedBy({ MASTER_KEY: TWO, PREVIOUS_MASTER_KEYS: ONE })).toBe(true);
  expect(await isSignedBy({ MASTER_KEY: TWO })).toBe(false);
});

test("a key that differs in any character is not signed", async () => {
  const vault = openVault({ MASTER_KEY: ONE });
  for (let at = 0; at < key.length; at += 1) {
    const other = key.slice(0, at) + (key[at] === "a" ? "b" : "a") + key.slice(at + 1);
    expect(await vault.isSignedEndpointKey(other)).toBe(false);
  }
  for (const other of ["", "x", newToken() + newToken()])
    expect(await vault.isSignedEndpointKey(other)).toBe(false);
});
