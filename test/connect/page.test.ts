// @suites loader

import { expect, test } from "vitest";

import { newToken } from "#domain/ids.ts";

import { operator } from "../support/client.ts";
import { newBrowser, newCustomer } from "../support/connect.ts";
import { fillIn, visit } from "../support/pages.ts";

/** An app with a host, a key and an optional note in its form. */
async function newApp(more: object = {}): Promise<string> {
  const slug = `shop_${newToken().toLowerCase()}`;
  await operator.put(`/apps/${slug}`, {
    name: "Shop",
    auth_type: "keys",
    fields: [
      { name: "host", label: "Host", secret: false },
      { name: "api_key", label: "API key", description: "Under settings" },
      { name: "note", label: "Note", optional: true, secret: false },
    ],
    ...more,
  });
  return slug;
}

const KEYS = { host: "shop.example.com", api_key: "key-1" };

test("a link opens a form, which connects one account", async () => {
  const customer = await newCustomer();
  const [app, browser] = [await newApp(), await newBrowser(customer, "one")];
  const path = `/connect/${browser.token}?app=${app}`;
  const shown = await visit(path);
  expect(shown.status).toBe(200);
  expect(shown.text).toContain("Connect Shop to Shop");
  expect(shown.text).toMatch(/name="field.api_key"\s+type="password"/);
  expect(shown.text).toMatch(/Note\s*<span>\(optional\)/);
  const sent = await fillIn(path, KEYS);
  expect(sent).toMatchObject({ status: 200 });
  const [, id] = /data-account="(apn_\w+)"/.exec(sent.text) ?? [];
  expect(id).toBeDefined();
  const status = await visit(`/connect/${browser.token}/status`);
  expect(JSON.parse(status.text)).toEqual({ account_id: id, ended: false });
  const again = await fillIn(path, KEYS);
  expect(again).toMatchObject({ status: 409 });
  expect(again.text).toContain("has connected an account already");
  expect((await visit(path)).text).toContain("has connected an account already");
});

test("a link connects an account for any scope of its token", async () => {
  const [customer, app] = [await newCustomer(), await newApp()];
  const { token } = await newBrowser(customer, "one", { scope: "connect:actions:read" });
  expect(await fillIn(`/connect/${token}?app=${app}`, KEYS)).toMatchObject({ status: 200 });
  const { body } = await customer.server.get("/accounts?external_user_id=one");
  expect(body.data).toHaveLength(1);
});
