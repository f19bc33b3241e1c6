import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { deployed } from "../support/accounts.ts";
import { signUp } from "../support/client.ts";

const SECRET = "sk_live_for_one_component_only";

const KEEPING = `
  export default {
    name: "keeping", version: "0.0.1",
    props: {
      http: "$.interface.http",
      token: { type: "string", secret: true },
      tokens: { type: "string[]", secret: true, optional: true },
      region: { type: "string", optional: true },
    },
    hooks: { async activate() { if (this.token !== "${SECRET}") throw new Error("no token"); } },
    run() { this.$emit([this.token, this.tokens ?? null, this.region ?? null]); },
  };`;

test("secret values are stored encrypted, decrypted for the component alone, and never shown", async () => {
  const ada = await signUp();
  const props = { token: SECRET, tokens: ["a", "b"], region: "eu" };
  const source = await deployed(ada, KEEPING, props);
  expect(source.configured).toEqual({ http: expect.anything(), region: "eu" });
  const stored = await runInDurableObject(env.SOURCES.getByName(source.id), (_, { storage }) =>
    JSON.stringify([...storage.kv.list()]),
  );
  expect(stored).toContain('"token":"v1.');
  expect(stored).not.toContain(SECRET);
  const rows = await env.DB.prepare("SELECT * FROM sources WHERE id = ?").bind(source.id).all();
  expect(JSON.stringify(rows.results)).not.toContain(SECRET);

  await evictDurableObject(env.SOURCES.getByName(source.id));
  expect(await source.run()).toEqual([SECRET, ["a", "b"], "eu"]);
  const updated = await ada.put(`/sources/${source.id}`, { configured_props: { region: "us" } });
  expect(updated.body.data.configured_props).toEqual({ http: expect.anything(), region: "us" });
  expect(await source.run()).toEqual([SECRET, ["a", "b"], "us"]);
});

test("a prop that is no longer secret requires a new value", async () => {
  const ada = await signUp();
  const source = await deployed(ada, KEEPING, { token: SECRET });
  const component_code = KEEPING.replace('{ type: "string", secret: true }', '"string"');
  const refused = await ada.put(`/sources/${source.id}`, { component_code });
  expect(refused).toMatchObject({
    status: 400,
    body: {
      error: "configured_props.token: is not a secret any more: enter its value again",
    },
  });
  const configured_props = { token: SECRET };
  const given = await ada.put(`/sources/${source.id}`, { component_code, configured_props });
  expect(given.body.data.configured_props.token).toBe(SECRET);
});
