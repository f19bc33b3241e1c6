// @suites loader

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { rewrapSecrets } from "#services/key-rotation.ts";
import { openVault } from "#vault/vault.ts";
import { openContext } from "#worker/bindings.ts";

import { newBrowser, newCustomer } from "../support/connect.ts";

const DEVELOPMENT = { "x-pd-environment": "development" };

test("an environment has a webhook, and its key is shown on creation", async () => {
  const { server } = await newCustomer();
  const path = "/webhook";
  expect(await server.get(path)).toMatchObject({ status: 200, body: {} });
  const made = await server.put(path, { url: "https://example.com/a" });
  const shown = {
    id: expect.any(String),
    url: "https://example.com/a",
    signing_key_set: true,
    created_at: expect.any(Number),
    updated_at: expect.any(Number),
  };
  expect(made.status).toBe(200);
  expect(made.body.data).toEqual({ ...shown, signing_key: expect.stringMatching(/^whsec_/) });
  expect((await server.get(path)).body).toEqual({ data: shown });
  const moved = await server.put(path, { url: "https://example.com/b" });
  expect(moved.body.data).toEqual({ ...shown, url: "https://example.com/b" });
  const renewed = await server.post(`${path}/regenerate_signing_key`);
  expect(renewed.body.data.signing_key).toMatch(/^whsec_/);
  expect(renewed.body.data.signing_key).not.toBe(made.body.data.signing_key);
  expect((await server.get(path, undefined, DEVELOPMENT)).body).toEqual({});
  expect(await server.delete(path)).toMatchObject({ status: 204 });
  expect(await server.delete(path)).toMatchObject({ status: 404 });
  expect(await server.post(`${path}/regenerate_signing_key`)).toMatchObject({ status: 404 });
});

test("rejects a webhook with a forbidden URL or for an unauthorized caller", async () => {
  const customer = await newCustomer();
  const { server, project } = customer;
  for (const url of ["ftp://example.com", "https://a:b@example.com", "none"])
    expect([url, (await server.put("/webhook", { url })).status]).toEqual([url, 400]);
  const browser = await newBrowser(customer, "one");
  expect(await browser.as("GET")(`/${project}/webhook`)).toMatchObject({ status: 403 });
  const stranger = await newCustomer();
  for (const method of ["GET", "PUT", "DELETE"])
    expect(
      await stranger.connect.as(method)(
        `/${project}/webhook`,
        method === "PUT" ? { url: "https://example.com" } : undefined,
      ),
    ).toMatchObject({ status: 404 });
});

test("re-encrypts signing keys with a new master key", async () => {
  const { server, project } = await newCustomer();
  await server.put("/webhook", { url: "https://example.com" });
  const place = ["project_webhook", project, "production"];
  const older = openVault({ MASTER_KEY: env.PREVIOUS_MASTER_KEYS ?? "" });
  await env.DB.prepare("UPDATE project_webhooks SET signing_key = ? WHERE project_id = ?")
    .bind(await older.seal("whsec_a", place), project)
    .run();
  for (let after: number | null = 0; after !== null;)
    after = (await rewrapSecrets(openContext(env), after)).next;
  const row = await env.DB.prepare("SELECT * FROM project_webhooks WHERE project_id = ?")
    .bind(project)
    .first<{ signing_key: string }>();
  const rotated = openVault({ MASTER_KEY: env.MASTER_KEY ?? "" });
  expect(await rotated.open(row?.signing_key ?? "", place)).toBe("whsec_a");
});
