import assert from "node:assert/strict";

import { accountOf, type Any, idsOf, type Method, newAccount, user, USER } from "../world.ts";

/** Apps, and accounts at them. */
export const ACCOUNTS: Record<string, Method> = {
  "apps.list": async ({ client }) => {
    const page = await client.apps.list({ q: "shop" });
    assert(page.data.some((app: Any) => app.nameSlug === "shop"));
  },
  "apps.retrieve": async ({ client }) => {
    const { data } = await client.apps.retrieve("shop");
    assert.equal(data.authType, "keys");
    assert.match(data.customFieldsJson, /api_key/);
  },
  "appCategories.list": async ({ client, made }) => {
    const categories = await client.appCategories.list();
    const found = categories.find((category: Any) => category.name === "Commerce");
    made["category"] = found.id;
  },
  "appCategories.retrieve": async ({ client, made }) => {
    assert.equal((await client.appCategories.retrieve(made["category"])).name, "Commerce");
  },
  "accounts.create": async (world) => {
    world.made["second"] = await newAccount(world, "Second");
    await accountOf(world);
  },
  "accounts.list": async (world) => {
    const listed = await idsOf(await world.client.accounts.list({ ...user, app: "shop" }));
    assert(listed.includes(await accountOf(world)));
  },
  "accounts.retrieve": async (world) => {
    const account = await world.client.accounts.retrieve(await accountOf(world));
    assert.equal(account.healthy, true);
    assert.equal(account.credentials, undefined);
    assert(account.createdAt instanceof Date);
  },
  "accounts.listByExternalUser": async ({ client, made }) => {
    const listed = await client.accounts.listByExternalUser(USER, { app: "shop" });
    assert(listed.some((account: Any) => account.id === made["account"]));
  },
  "accounts.delete": async ({ client, made }) => {
    await client.accounts.delete(made["second"]);
    await assert.rejects(client.accounts.retrieve(made["second"]), { statusCode: 404 });
  },
  "oauthApps.create": async ({ client, made }) => {
    const created = await client.oauthApps.create({
      app: "shop",
      clientId: "c",
      clientSecret: "s",
      scopes: ["read"],
    });
    assert.equal(created.nameSlug, "shop");
    made["oauthApp"] = created.id;
  },
  "oauthApps.list": async ({ client, made }) => {
    assert(
      (await idsOf(await client.oauthApps.list({ app: "shop" }))).includes(made["oauthApp"] ?? ""),
    );
  },
  "oauthApps.retrieve": async ({ client, made }) => {
    assert.equal((await client.oauthApps.retrieve(made["oauthApp"])).clientId, "c");
  },
  "oauthApps.update": async ({ client, made }) => {
    const changed = await client.oauthApps.update(made["oauthApp"], { clientId: "d" });
    assert.equal(changed.clientId, "d");
  },
  "oauthApps.delete": async ({ client, made }) => {
    await client.oauthApps.delete(made["oauthApp"]);
    await assert.rejects(client.oauthApps.retrieve(made["oauthApp"]), { statusCode: 404 });
  },
  "appOverrides.create": async ({ client, made }) => {
    const created = await client.appOverrides.create({
      app: "shop",
      name: "Ours",
      cfmap: { api_key: "k" },
    });
    assert.equal(created.app.nameSlug, "shop");
    made["override"] = created.id;
  },
  "appOverrides.list": async ({ client, made }) => {
    assert(
      (await idsOf(await client.appOverrides.list({ app: "shop" }))).includes(
        made["override"] ?? "",
      ),
    );
  },
  "appOverrides.retrieve": async ({ client, made }) => {
    assert.equal((await client.appOverrides.retrieve(made["override"])).name, "Ours");
  },
  "appOverrides.update": async ({ client, made }) => {
    const changed = await client.appOverrides.update(made["override"], { name: "Theirs" });
    assert.equal(changed.name, "Theirs");
  },
  "appOverrides.delete": async ({ client, made }) => {
    await client.appOverrides.delete(made["override"]);
    await assert.rejects(client.appOverrides.retrieve(made["override"]), { statusCode: 404 });
  },
};
