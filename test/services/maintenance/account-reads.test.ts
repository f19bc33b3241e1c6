// @suites loader

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { newToken } from "#domain/ids.ts";
import { correctAccountReads } from "#services/maintenance/account-reads.ts";

import { operator, signUp } from "../../support/client.ts";
import { newCustomer } from "../../support/connect.ts";
import { platformIn, positionOf, runToTheEnd } from "../../support/sweeping.ts";

type User = Awaited<ReturnType<typeof signUp>>;

/** A component whose app has this method. */
const codeOf = (app: string, method: string) => `
  const shop = { type: "app", app: "${app}", methods: { ${method} } };
  export default {
    key: "${app}-asking", name: "Asking", version: "0.0.1", type: "source",
    props: { shop, http: "$.interface.http" },
    run() {},
  };`;

const LISTING = "authKeys() { console.log(Object.keys(this.$auth)); }";

/** Save a component with the reads of $auth that an older release stored with it. Returns its id and its app. */
async function savedBefore(save: (code: string) => Promise<{ id: string }>, method: string) {
  const app = `shop_${newToken().toLowerCase()}`;
  const { id } = await save(codeOf(app, method));
  const readAll = "json_set(definition, '$.props[0].auth', json('[\"*\"]'))";
  await env.DB.prepare(`UPDATE components SET definition = ${readAll} WHERE id = ?`).bind(id).run();
  return { app, id };
}

const savedBy = (user: User) => async (component_code: string) =>
  (await user.post("/components", { component_code })).body.data;

const deployedBy = async (user: User, component_id: string) =>
  (await user.post("/sources", { component_id })).status;

const correct = () => runToTheEnd(() => correctAccountReads(platformIn(0)), ["account_reads"]);

test("components of older releases follow the rule that listing names reads no credentials", async () => {
  const ada = await signUp();
  const listing = await savedBefore(savedBy(ada), LISTING);
  const reading = await savedBefore(savedBy(ada), "all() { return Object.values(this.$auth); }");
  expect(await deployedBy(ada, listing.id)).toBe(400);
  expect(await correct()).toBeGreaterThan(0);
  expect(await deployedBy(ada, listing.id)).toBe(200);
  expect(await deployedBy(ada, reading.id)).toBe(400);
});

test("apps of published components follow the rule, too", async () => {
  const published = (component_code: string) =>
    operator.post("/registry", { component_code }).then(({ body }) => body.data);
  const { app, id } = await savedBefore(published, LISTING);
  // As if it had been published by that release.
  await env.DB.prepare("UPDATE registry_entries SET component_id = ?1 WHERE component_id = ?1")
    .bind(id)
    .run();
  const { connect } = await newCustomer();
  const typeOf = async () => (await connect.get(`/apps/${app}`)).body.data.auth_type;
  expect(await typeOf()).toBe("keys");
  await correct();
  expect(await typeOf()).toBe("none");
});

test("a component that cannot be described stays as it is, and the others follow", async () => {
  const ada = await signUp();
  const broken = await savedBefore(savedBy(ada), LISTING);
  const whole = await savedBefore(savedBy(ada), LISTING);
  await env.DB.prepare("UPDATE components SET bundle_hash = 'gone' WHERE id = ?")
    .bind(broken.id)
    .run();
  await correct();
  expect(await positionOf("account_reads")).toBeNull();
  expect(await deployedBy(ada, whole.id)).toBe(200);
  const definition = await env.DB.prepare("SELECT definition FROM components WHERE id = ?")
    .bind(broken.id)
    .first<string>("definition");
  expect(definition).toContain('"auth":["*"]');
});

test("components are described again once", async () => {
  const ada = await signUp();
  await correct();
  const late = await savedBefore(savedBy(ada), LISTING);
  expect(await correctAccountReads(platformIn(366 * 24 * 60 * 60))).toBe(0);
  expect(await deployedBy(ada, late.id)).toBe(400);
});
