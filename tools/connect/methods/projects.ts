import assert from "node:assert/strict";

import { type Any, idsOf, type Method, user, USER } from "../world.ts";

/** Projects and their external users. */
export const PROJECTS: Record<string, Method> = {
  "oauthTokens.create": async ({ client, credentials }) => {
    const token = await client.oauthTokens.create(credentials);
    assert.equal(token.expiresIn, 3600);
    assert.equal(token.tokenType.toLowerCase(), "bearer");
  },
  "projects.create": async ({ client, made }) => {
    const project = await client.projects.create({ name: "Second", appName: "The Second" });
    assert.equal(project.appName, "The Second");
    made["project"] = project.id;
  },
  "projects.list": async ({ client, made }) => {
    assert((await idsOf(await client.projects.list())).includes(made["project"] ?? ""));
  },
  "projects.retrieve": async ({ client, made }) => {
    assert.equal((await client.projects.retrieve(made["project"])).name, "Second");
  },
  "projects.update": async ({ client, made }) => {
    const changed = await client.projects.update(made["project"], {
      supportEmail: "help@example.com",
    });
    assert.equal(changed.supportEmail, "help@example.com");
  },
  "projects.updateLogo": ({ client, made }) =>
    client.projects.updateLogo(made["project"], { logo: "data:image/png;base64,iVBORw0KGgo=" }),
  "projects.delete": async ({ client, made }) => {
    await client.projects.delete(made["project"]);
    await assert.rejects(client.projects.retrieve(made["project"]), { statusCode: 404 });
  },
  "projects.retrieveInfo": async ({ client }) => {
    assert(Array.isArray((await client.projects.retrieveInfo()).apps));
  },
  "tokens.create": async ({ client, made }) => {
    const created = await client.tokens.create({ ...user, appId: "shop" });
    assert(created.expiresAt instanceof Date);
    assert.match(created.connectLinkUrl, /\/connect\//);
    made["token"] = created.token;
  },
  "tokens.validate": async ({ client, made, project }) => {
    const validated = await client.tokens.validate(made["token"], { appId: "shop" });
    assert.equal(validated.success, true);
    assert.equal(validated.projectId, project);
    assert.equal(validated.app.nameSlug, "shop");
  },
  "users.list": async ({ client }) => {
    const page = await client.users.list({ q: "customer" });
    assert(page.data.some((one: Any) => one.externalId === USER));
  },
  "projectEnvironment.updateWebhook": async ({ client, shop }) => {
    const { data } = await client.projectEnvironment.updateWebhook({ url: `${shop.url}/project` });
    assert.equal(data.url, `${shop.url}/project`);
  },
  "projectEnvironment.retrieveWebhook": async ({ client, shop }) => {
    assert.equal(
      (await client.projectEnvironment.retrieveWebhook()).data.url,
      `${shop.url}/project`,
    );
  },
  "projectEnvironment.regenerateWebhookSigningKey": async ({ client }) => {
    const { data } = await client.projectEnvironment.regenerateWebhookSigningKey();
    assert.equal(typeof data.signingKey, "string");
  },
  "projectEnvironment.deleteWebhook": ({ client }) => client.projectEnvironment.deleteWebhook(),
  "usage.list": async ({ client }) => {
    const now = Math.floor(Date.now() / 1000);
    const { data } = await client.usage.list({ startTs: now - 86_400, endTs: now + 60 });
    assert(Array.isArray(data));
  },
};
