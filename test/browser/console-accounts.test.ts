import type { BrowserContext, Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";

import { newPerson, type Person } from "../../tools/browser/console.ts";
import { Provider } from "../../tools/browser/provider.ts";
import { callAs, post, until } from "../../tools/browser/story/api.ts";
import { listen } from "../../tools/scripts/listen.ts";
import { chooseApp } from "../support/app-picker.ts";
import { useStage, visit } from "../support/browser.ts";

const LISTENER = `export default {
  key: "signing-new-order", name: "New Order", version: "0.0.1", type: "source",
  props: { signing: { type: "app", app: "signing" }, http: "$.interface.http" },
  run({ body }) { this.$emit({ body, token: typeof this.signing.$auth.oauth_access_token }); },
};`;

const stage = useStage();
const provider = new Provider();
let providerUrl: string;

beforeAll(async () => {
  const { url, close } = await listen(provider.answer);
  providerUrl = url;
  const operate = callAs(stage().operator);
  const [authorize_url, token_url] = [`${url}/authorize`, `${url}/token`];
  const oauth = { authorize_url, token_url, scopes: ["read"] };
  await operate("PUT", "/apps/signing", { name: "Shop", fields: [], oauth });
  const client = { client_id: "id", client_secret: "secret" };
  await operate("POST", "/oauth_apps", { app: "signing", token_url, ...client });
  const fields = [{ name: "api_key", label: "API key", secret: true }];
  await operate("PUT", "/apps/store", { name: "Store", auth_type: "keys", fields });
  await operate("POST", "/registry", { component_code: LISTENER });
  return close;
});

/** A user whose pages may open the provider. */
async function visitWithProvider(person: Person) {
  provider.mood = "well";
  const visited = await visit(stage(), { api_key: person.apiKey });
  visited.expectFault(new RegExp(`Request to ${providerUrl}/`));
  return visited;
}

/** The page that a click opens in a separate window. */
async function opened(context: BrowserContext, click: () => Promise<void>): Promise<Page> {
  const [popup] = await Promise.all([context.waitForEvent("page"), click()]);
  return popup;
}

/** Go on to the provider, and allow or deny the access there. */
async function answer(page: Page, choice: "Allow" | "Deny"): Promise<void> {
  await page.getByRole("button", { name: "Continue to Shop" }).click();
  await page.getByText(choice, { exact: true }).click();
}

const dialogOf = (page: Page) => page.locator('[role="dialog"]:not([aria-modal="false"])');

test("the deploy form connects an account in a window of the provider", async () => {
  const ada = await newPerson(stage());
  const call = callAs(ada);
  const { page, context } = await visitWithProvider(ada);
  await page.goto("/console/deploy/component/signing-new-order");
  await page.getByRole("button", { name: "Connect an account of signing" }).click();
  const signIn = dialogOf(page).getByRole("button", { name: "Sign in at signing" });
  const popup = await opened(context, () => signIn.click());
  await popup.getByRole("button", { name: "Continue to Shop" }).click();
  await popup.getByRole("heading", { name: "Sign in to Shop" }).waitFor();
  await page.getByText("Waiting for you to sign in").waitFor();
  expect(await popup.evaluate("window.opener")).toBeNull();
  await popup.getByText("Allow").click();
  await popup.getByRole("heading", { name: "Shop is connected" }).waitFor();
  await dialogOf(page).waitFor({ state: "detached" });
  const [account] = await call("GET", "/accounts");
  await page
    .getByRole("combobox", { name: /signing/i })
    .getByText(account.name)
    .waitFor();
  await page.getByRole("button", { name: "Deploy", exact: true }).click();
  await page.waitForURL("**/console/sources/**");
  const [source] = await call("GET", "/users/me/sources");
  expect(source.configured_props.signing).toEqual({ authProvisionId: account.id });
});

test("a user who denies access at the provider has no account, and can retry", async () => {
  const ada = await newPerson(stage());
  const call = callAs(ada);
  const { page, context, expectFault } = await visitWithProvider(ada);
  expectFault(/status of 4\d\d .*\/connect/);
  await page.goto("/console/deploy/component/signing-new-order");
  await page.getByRole("button", { name: "Connect an account of signing" }).click();
  const signIn = dialogOf(page).getByRole("button", { name: "Sign in at signing" });
  const refused = await opened(context, () => signIn.click());
  await answer(refused, "Deny");
  await refused.getByRole("alert").getByText("was not given permission").waitFor();
  await refused.close();
  expect(await call("GET", "/accounts")).toEqual([]);
  const allowed = await opened(context, () => signIn.click());
  await answer(allowed, "Allow");
  await dialogOf(page).waitFor({ state: "detached" });
  expect(await call("GET", "/accounts")).toHaveLength(1);
});

test("the settings connect an account at the provider, and reconnect it under its id", async () => {
  const ada = await newPerson(stage());
  const call = callAs(ada);
  const { page } = await visitWithProvider(ada);
  await page.goto("/console/settings/accounts/new?app=signing");
  await page.getByRole("button", { name: "Sign in at Shop" }).click();
  await answer(page, "Allow");
  await page.waitForURL("**/console/settings/accounts*");
  const [account] = await call("GET", "/accounts");
  await page.getByRole("link", { name: account.name }).click();
  const grants = provider.granted.length;
  await page.getByRole("button", { name: "Reconnect" }).click();
  await answer(page, "Allow");
  await page.waitForURL(`**/console/settings/accounts/${account.id}*`);
  await page.getByRole("heading", { name: account.name }).waitFor();
  expect(provider.granted).toHaveLength(grants + 1);
  expect(await call("GET", "/accounts")).toMatchObject([{ id: account.id }]);
});

test("a user connects an account with a key, renames it, replaces its key, and sees its uses on deletion", async () => {
  const ada = await newPerson(stage());
  const call = callAs(ada);
  const { page } = await visit(stage(), { api_key: ada.apiKey });
  await page.goto("/console/settings/accounts");
  await page.getByRole("button", { name: "Connect an account" }).first().click();
  await chooseApp(page, "Store");
  await page.getByLabel("Name of the account").fill("Main shop");
  await page.getByLabel("API key").fill("key-1");
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await page.getByRole("heading", { name: "Main shop" }).waitFor();
  await page.getByText("not checked", { exact: true }).waitFor();
  await page.getByText("only a run shows whether the provider accepts them").waitFor();
  const [{ id }] = await call("GET", "/accounts");
  const component_code = `export default { name: "Stock", version: "0.0.1",
    props: { store: { type: "app", app: "store" }, http: "$.interface.http" }, run() {} };`;
  const configured_props = { store: { authProvisionId: id } };
  await call("POST", "/sources", { component_code, configured_props });
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Side shop");
  await page.getByRole("button", { name: "Rename" }).click();
  await page.getByRole("heading", { name: "Side shop" }).waitFor();
  await page.getByRole("button", { name: "Reconnect" }).click();
  await dialogOf(page).getByLabel("API key").fill("key-2");
  await dialogOf(page).getByRole("button", { name: "Connect" }).click();
  await dialogOf(page).waitFor({ state: "detached" });
  expect(await page.locator("body").innerText()).not.toMatch(/key-[12]/);
  await page.reload();
  await page.getByRole("button", { name: "Delete" }).click();
  const question = page.getByRole("alertdialog");
  await question.getByText("1 source or workflow will fail:").waitFor();
  await question.getByText("Stock").waitFor();
  await question.getByRole("button", { name: "Delete account" }).click();
  await page.getByText("No accounts yet").waitFor();
  expect(await call("GET", "/accounts")).toEqual([]);
});

test("an account that needs to be connected again shows it, in the list and on its page, with its next step", async () => {
  const ada = await newPerson(stage());
  const call = callAs(ada);
  const { page } = await visitWithProvider(ada);
  // Without an access token, the first run refreshes it.
  const credentials = { oauth_refresh_token: "r" };
  const connect = async (name: string, mood: "down" | "refusing") => {
    const { id } = await call("POST", "/accounts", { app: "signing", name, credentials });
    const configured_props = { signing: { authProvisionId: id } };
    const key = "signing-new-order";
    provider.mood = mood;
    const source = await call("POST", "/sources", { key, configured_props });
    await post(source.configured_props.http.endpoint_url, {});
    const isUnhealthy = async () => (await call("GET", `/accounts/${id}`)).healthy === false;
    await until(isUnhealthy, "the refresh failed");
    return String(id);
  };
  const revoked = await connect("Revoked", "refusing");
  await connect("Delayed", "down");
  await page.goto("/console/settings/accounts");
  const row = (name: string) => page.getByRole("row").filter({ hasText: name });
  await row("Delayed").getByText("refresh failed").waitFor();
  expect(await row("Delayed").getByRole("link", { name: "Reconnect" }).count()).toBe(0);
  await row("Revoked").getByText("needs reconnect").waitFor();
  await row("Revoked").getByRole("link", { name: "Reconnect" }).click();
  await page.getByText("Connect this account again").waitFor();
  await page.getByText("Last error: ").waitFor();
  // The home page leads there, too.
  await page.goto("/console/");
  await page.getByRole("link", { name: /: Revoked$/ }).click();
  provider.mood = "well";
  await page.getByRole("button", { name: "Reconnect" }).click();
  await answer(page, "Allow");
  await page.waitForURL(`**/console/settings/accounts/${revoked}*`);
  await page.getByRole("heading", { name: "Revoked" }).waitFor();
  await page.getByText("healthy", { exact: true }).waitFor();
  expect(await page.getByText("Connect this account again").count()).toBe(0);
});
