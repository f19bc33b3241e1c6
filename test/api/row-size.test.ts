import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { signUp } from "../support/client.ts";
import { expectDirectoryFits, expectRowsFit } from "../support/rows.ts";

const NAMES = Array.from({ length: 14 }, (_, index) => `text${index}`);

/** A component with a definition just below the size limit. */
const LARGE = `export default { name: "Large", version: "1", run() {}, props: Object.fromEntries(
  ${JSON.stringify(NAMES)}.map((name) => [name, { type: "string", description: "x".repeat(60000) }])) }`;

const values = (length: number) =>
  Object.fromEntries(NAMES.map((name) => [name, "x".repeat(length)]));

test("a source with the largest definition and values fits its rows, even during an update", async () => {
  const client = await signUp();
  const create = await client.post("/sources", {
    component_code: LARGE,
    configured_props: values(63_000),
  });
  expect([create.status, create.body.error]).toEqual([200, undefined]);
  const { id } = create.body.data;
  // The row of an update has both the old values and the new definition.
  const definition = JSON.stringify({ definition: "x".repeat(900_000) });
  await env.DB.prepare("UPDATE sources SET pending = ? WHERE id = ?").bind(definition, id).run();
  await expectDirectoryFits();
  await env.DB.prepare("UPDATE sources SET pending = NULL WHERE id = ?").bind(id).run();
  await expectRowsFit(env.SOURCES.getByName(id));
});

test("values that are too large for a row are rejected with the limit", async () => {
  const client = await signUp();
  const { status, body } = await client.post("/sources", {
    component_code: LARGE,
    configured_props: values(65_000),
  });
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining("900000 bytes")]);
});
