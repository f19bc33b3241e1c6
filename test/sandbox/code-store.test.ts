// @suites loader

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { newToken } from "#domain/ids.ts";
import { openCodeStore } from "#sandbox/code-store.ts";

import { oneModule } from "../support/deploy.ts";

test("a stored bundle keeps its metadata when it is stored again", async () => {
  const store = openCodeStore(env.CODE);
  const first = { ...oneModule(newToken(), "export default {}"), mayConnect: true };
  await store.putBundle(first);
  await store.putBundle({ ...first, map: "{}", mayConnect: false });
  expect(await store.bundle(first.hash)).toEqual(first);
});
