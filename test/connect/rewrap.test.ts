// @suites loader

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { newToken } from "#domain/ids.ts";
import { rewrapSecrets } from "#services/key-rotation.ts";
import { openVault } from "#vault/vault.ts";
import { openContext } from "#worker/bindings.ts";

import { operator } from "../support/client.ts";
import { newCustomer } from "../support/connect.ts";

const older = openVault({ MASTER_KEY: env.PREVIOUS_MASTER_KEYS ?? "" });
const rotated = openVault({ MASTER_KEY: env.MASTER_KEY ?? "" });

test("re-encrypts projects' app settings with a new master key", async () => {
  const [{ server }, app] = [await newCustomer(), `shop_${newToken().toLowerCase()}`];
  await operator.put(`/apps/${app}`, { auth_type: "keys", fields: [{ name: "region" }] });
  const client = await server.post("/oauth_apps", { app, client_id: "c", client_secret: "old" });
  const override = await server.post("/app_overrides", {
    app,
    name: "Ours",
    cfmap: { region: "eu" },
  });
  const [clientId, overrideId] = [client.body.id, override.body.id];
  // Encrypted with the previous master key.
  const secret = await older.seal("kept", ["project_oauth_app", clientId]);
  const fields = await older.seal('{"region":"as"}', ["app_override", overrideId]);
  await env.DB.prepare("UPDATE project_oauth_apps SET client_secret = ? WHERE id = ?")
    .bind(secret, clientId)
    .run();
  await env.DB.prepare("UPDATE app_overrides SET fields = ? WHERE id = ?")
    .bind(fields, overrideId)
    .run();
  const left: string[] = [];
  for (let after: number | null = 0; after !== null;) {
    const stretch = await rewrapSecrets(openContext(env), after);
    left.push(...stretch.left);
    after = stretch.next;
  }
  expect(left).not.toContain(clientId);
  expect(left).not.toContain(overrideId);
  const stored = await env.DB.prepare(
    "SELECT (SELECT client_secret FROM project_oauth_apps WHERE id = ?) AS secret, (SELECT fields FROM app_overrides WHERE id = ?) AS fields",
  )
    .bind(clientId, overrideId)
    .first<{ secret: string; fields: string }>();
  expect(await rotated.open(stored?.secret ?? "", ["project_oauth_app", clientId])).toBe("kept");
  expect(await rotated.open(stored?.fields ?? "", ["app_override", overrideId])).toBe(
    '{"region":"as"}',
  );
});
