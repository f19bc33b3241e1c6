import { expect, test } from "vitest";

import { received, sendable } from "#bundler/transfer.ts";
import { EMPTY_LOCKFILE } from "#domain/lockfile.ts";

function bundledWith(modules: Record<string, string>) {
  const own = { hash: "h", code: "code", map: "{}", lockfile: EMPTY_LOCKFILE };
  return { ok: true as const, bundle: { ...own, dependencies: { hash: "packages", modules } } };
}

const SMALL = { "dependencies/0.js": "export {}" };
const LARGE = { "dependencies/0.js": "x".repeat(9 * 2 ** 20) };

test("transfers a bundle with its packages", async () => {
  const bundled = bundledWith(SMALL);
  const sent = sendable(bundled);
  expect(await received(sent, () => Promise.reject(new Error("not needed")))).toEqual(bundled);
});

test("reads packages that are too large for one RPC from the code store", async () => {
  const bundled = bundledWith(LARGE);
  const sent = sendable(bundled);
  expect(JSON.stringify(sent).length).toBeLessThan(1000);
  expect(await received(sent, async (hash) => (hash === "packages" ? LARGE : {}))).toEqual(bundled);
});

test("transfers the reason for a missing bundle", async () => {
  const issues = [{ file: "a.js", line: 1, column: 0, text: "no" }];
  const sent = sendable({ ok: false, issues, upstream: true });
  expect(await received(sent, async () => ({}))).toEqual({ ok: false, issues, upstream: true });
});
