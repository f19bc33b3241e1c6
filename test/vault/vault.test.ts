import { expect, test } from "vitest";

import { openVault } from "#vault/vault.ts";

const ONE = "11".repeat(32);
const TWO = "IiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiI";
const NOT_SET = "MASTER_KEY is not set: secrets can be neither stored nor read";
const NO_KEY = "MASTER_KEY must be 32 random bytes in hex or base64";
const PLACE = ["account", "apn_1", "u_1"];

const vault = openVault({ MASTER_KEY: ONE });

test("seals an empty text", async () => {
  expect(await vault.open(await vault.seal("", PLACE), PLACE)).toBe("");
});

test.for(["sk_live_1", "ключ 🔑", "x".repeat(70_000)])("opens a sealed text (%#)", async (text) => {
  const sealed = await vault.seal(text, PLACE);
  expect(sealed).not.toContain(text);
  expect(await vault.open(sealed, PLACE)).toBe(text);
});

test("one text sealed twice shares only the ids of its format and master key", async () => {
  const [one, two] = await Promise.all([vault.seal("a", PLACE), vault.seal("a", PLACE)]);
  const [first, second] = [one.split("."), two.split(".")];
  expect(first.slice(0, 2)).toEqual(second.slice(0, 2));
  expect(first[2]).not.toBe(second[2]);
  expect(first[3]).not.toBe(second[3]);
});

test.for([
  [["account", "apn_2", "u_1"]],
  [["account", "apn_1", "u_2"]],
  [["account", "apn_1"]],
  [["account", "apn_1u_1"]],
  [[]],
])("does not open a value of another place at %j", async ([place]) => {
  const sealed = await vault.seal("a", PLACE);
  await expect(vault.open(sealed, place ?? [])).rejects.toThrow("was changed or moved");
});

test.for([2, 3])("does not open a sealed text with a changed part %i", async (part) => {
  const parts = (await vault.seal("a secret", PLACE)).split(".");
  const text = parts[part] ?? "";
  for (const at of [0, 20, text.length - 2]) {
    const other = text[at] === "A" ? "B" : "A";
    const changed = parts.with(part, text.slice(0, at) + other + text.slice(at + 1));
    await expect(vault.open(changed.join("."), PLACE)).rejects.toThrow("it was changed");
  }
});

test.for(["", "v1", "v2.a.b.c", "v1.a.b.c.d", "plain text"])(
  "%j is not a sealed text",
  async (sealed) => {
    await expect(vault.open(sealed, PLACE)).rejects.toThrow("sealed value");
  },
);

test("rewraps a sealed text with the next master key, so that it no longer needs the old one", async () => {
  const sealed = await vault.seal("a secret", PLACE);
  const rotating = openVault({
    MASTER_KEY: TWO,
    PREVIOUS_MASTER_KEYS: `${"33".repeat(32)}, ${ONE}`,
  });
  expect(await rotating.open(sealed, PLACE)).toBe("a secret");
  const moved = (await rotating.rewrap(sealed, PLACE)) ?? "";
  expect(moved).not.toBe(sealed);

  const rotated = openVault({ MASTER_KEY: TWO });
  expect(await rotated.open(moved, PLACE)).toBe("a secret");
  await expect(rotated.open(sealed, PLACE)).rejects.toThrow("is not configured");
  expect(await rotated.rewrap(moved, PLACE)).toBeUndefined();
  await expect(rotating.rewrap(sealed, ["elsewhere"])).rejects.toThrow("was changed or moved");
});

test.for([
  ["", NOT_SET],
  ["short", NO_KEY],
  [`${ONE}00`, NO_KEY],
  ["!".repeat(43), NO_KEY],
])("%j is not a master key, and is not in the error", async ([text = "", message]) => {
  const failing = openVault({ MASTER_KEY: text }).seal("a", PLACE);
  await expect(failing).rejects.toThrow(expect.objectContaining({ message }));
});
