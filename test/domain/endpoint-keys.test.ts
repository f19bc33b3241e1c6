import { expect, test } from "vitest";

import { emitterOfKey, newUnsignedKey, signatureText } from "#domain/endpoint-keys.ts";
import { type Id, newId, newToken } from "#domain/ids.ts";

/** A key as the platform completes it. */
const newKey = (id: Id<"source"> | Id<"workflow">) =>
  newUnsignedKey(id) + signatureText(crypto.getRandomValues(new Uint8Array(32)));

const IDS: (Id<"source"> | Id<"workflow">)[] = [
  newId("source"),
  newId("workflow"),
  "dc_0000000000000000000000",
  "dc_zzzzzzzzzzzzzzzzzzzzzz",
  "dc_pppppppppppppppppppppp",
  "p_zzzzzzzzzzzzzzzzzzzzzz",
  "p_pppppppppppppppppppppp",
];

test.each(IDS)("a key of %s is lower-case and contains the id", (id) => {
  const key = newKey(id);
  expect(key).toMatch(/^[0-9a-z]{52,53}$/);
  expect(emitterOfKey(key)).toBe(id);
  expect(newKey(id)).not.toBe(key);
});

test("many keys contain their ids", () => {
  for (let count = 0; count < 1000; count += 1) {
    const [source, workflow] = [newId("source"), newId("workflow")];
    expect(emitterOfKey(newKey(source))).toBe(source);
    expect(emitterOfKey(newKey(workflow))).toBe(workflow);
  }
});

test("a key of an earlier release still contains its id", () => {
  for (const token of [newToken(), "p".repeat(22)]) {
    expect(emitterOfKey(token + newToken())).toBe(`dc_${token}`);
    expect(emitterOfKey(`p${token}${newToken()}`)).toBe(`p_${token}`);
  }
});

test.each([
  "",
  "p",
  "x".repeat(43),
  "X".repeat(52),
  "z".repeat(52),
  "0".repeat(54),
  "é".repeat(52),
])("%j is not a key", (key) => {
  expect(emitterOfKey(key)).toBeUndefined();
});
