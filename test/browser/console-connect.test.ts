import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";

import { newPerson } from "../../tools/browser/console.ts";
import { Provider } from "../../tools/browser/provider.ts";
import { callAs } from "../../tools/browser/story/api.ts";
import { listen } from "../../tools/scripts/listen.ts";
import { chooseApp } from "../support/app-picker.ts";
import { useStage, visit } from "../support/browser.ts";

const stage = useStage();
const provider = new Provider();
let providerUrl: string;

beforeAll(async () => {
  const { url, close } = await listen(provider.answer);
  providerUrl = url;
  const oauth = { authorize_url: `${url}/authorize`, token_url: `${url}/token`, scopes: ["read"] };
  await callAs(stage().operator)("PUT", "/apps/signing", { name: "Shop", fields: [], oauth });
  return close;
});

const dialogOf = (page: Page) => page.locator('[role="dialog"]:not([aria-modal="false"])');

/** Press a button of a row, and answer its question. */
async function confirm(page: Page, button: string, answer: string): Promise<void> {
  await page.getByRole("button", { name: button }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: answer }).click();
}

/** A user with a project of Connect. */
async function withProject() {
  const person = await newPerson(stage());
  const call = callAs(person);
  const { id } = await call("POST", "/connect/projects", { name: "Orchard" });
  const visited = await visit(stage(), { api_key: person.apiKey });
  return { ...visited, call, project: String(id), at: `/console/connect/${id}` };
}

test("an external user connects an account with the project's own OAuth app, and is deleted with it", async () => {
  const { page, context, call, project, at, expectFault } = await withProject();
  expectFault(new RegExp(`Request to ${providerUrl}/`));
  await page.goto(`${at}/oauth-apps`);
  await page.getByRole("button", { name: "New OAuth app" }).first().click();
  const dialog = dialogOf(page);
  await chooseApp(page, "Shop", dialog);
  await dialog.getByLabel("Client id").fill("id");
  await dialog.getByLabel("Client secret").fill("secret");
  await dialog.getByRole("button", { name: "Create OAuth app" }).click();
  await dialog.waitFor({ state: "detached" });

  await page.goto(`${at}?env=production`);
  await page.getByLabel("External user").fill("ada");
  await chooseApp(page, "Shop");
  await page.getByRole("button", { name: "Create a connect token" }).click();
  const link = page.getByRole("button", { name: "Open the link" });
  await link.waitFor();
  const [popup] = await Promise.all([context.waitForEvent("page"), link.click()]);
  await popup.getByRole("button", { name: "Continue to Shop" }).click();
  await popup.getByText("Allow").click();
  await popup.getByRole("heading", { name: "Shop is connected" }).waitFor();

  await page.goto(`${at}/users?env=production`);
  const user = page.getByRole("row").filter({ hasText: "ada" });
  await user.getByRole("link", { name: "Accounts" }).click();
  await page.waitForURL(/\/accounts\?/);
  await page.getByRole("cell", { name: "ada", exact: true }).waitFor();
  expect(await call("GET", `/connect/${project}/accounts`)).toHaveLength(1);
  await page.goto(`${at}/users?env=production`);
  await confirm(page, "Delete ada", "Delete user");
  await page.getByText("No users in production yet").waitFor();
  expect(await call("GET", `/connect/${project}/accounts`)).toEqual([]);
});

test("a project's owner sees the user of a trigger, and pauses, activates and deletes it", async () => {
  const { page, call, project, at } = await withProject();
  const code = `export default { key: "orchard-picked", name: "Picked", version: "0.0.1", type: "source",
    props: { http: "$.interface.http" }, run() {} };`;
  await callAs(stage().operator)("POST", "/registry", { component_code: code });
  const body = { id: "orchard-picked", external_user_id: "ada", configured_props: {} };
  await call("POST", `/connect/${project}/triggers/deploy`, body);
  const triggers = () => call("GET", `/connect/${project}/deployed-triggers?external_user_id=ada`);
  await page.goto(`${at}/triggers?env=production`);
  const cell = page.getByRole("cell", { name: "ada", exact: true });
  await page
    .getByRole("row")
    .filter({ has: cell })
    .getByText(/\b(?:ago|now)$/)
    .waitFor();
  await cell.getByRole("link").click();
  await expect.poll(() => new URL(page.url()).searchParams.get("user")).toBe("ada");
  await page.getByRole("button", { name: /^Pause / }).click();
  await page.getByRole("button", { name: /^Activate / }).waitFor();
  expect(await triggers()).toMatchObject([{ active: false }]);
  await page.getByRole("button", { name: /^Activate / }).click();
  await page.getByRole("button", { name: /^Pause / }).waitFor();
  await page.getByRole("button", { name: /^Delete / }).click();
  await page
    .getByRole("alertdialog")
    .getByRole("button", { name: /^Delete/ })
    .click();
  await expect.poll(triggers).toEqual([]);
});

test("a project's owner sets the quotas of a user's agents, and sees those of the project", async () => {
  const { page, call, project, at } = await withProject();
  await call("POST", `/connect/${project}/tokens`, { external_user_id: "ada" });
  const quotas = () => call("GET", `/connect/${project}/users/ada/agent_quotas`);
  await page.goto(`${at}/users?env=production`);
  await page.getByRole("button", { name: "Quotas of ada" }).click();
  const dialog = dialogOf(page);
  await dialog.getByText("0 of 100 in use").first().waitFor();
  await dialog.getByLabel("Runs in ten seconds").fill("7");
  await dialog.getByRole("button", { name: "Save quotas" }).click();
  await dialog.waitFor({ state: "detached" });
  expect(await quotas()).toMatchObject({ subscriptions_quota: null, runs_quota: 7 });
  await page.getByRole("button", { name: "Quotas of ada" }).click();
  await dialog.getByText("0 of 7 in use").waitFor();
  expect(await dialog.getByLabel("Runs in ten seconds").inputValue()).toBe("7");
  await page.goto(`${at}/settings`);
  const agents = page.getByRole("region", { name: "Agents" });
  await expect.poll(() => agents.getByText("0 of 1000 in use").count()).toBe(3);
});

test("a project's owner renames it, and deletes it after typing its name", async () => {
  const { page, call, at } = await withProject();
  await page.goto(`${at}/settings`);
  await page.getByLabel("Name", { exact: true }).fill("Grove");
  await page.getByRole("button", { name: "Save" }).first().click();
  await page.getByRole("heading", { name: "Grove", level: 1 }).waitFor();
  await page.getByRole("button", { name: "Delete project" }).click();
  const question = page.getByRole("alertdialog");
  await question.getByRole("textbox").fill("Grove");
  await question.getByRole("button", { name: "Delete project" }).click();
  await page.getByText("No projects yet").waitFor();
  expect(await call("GET", "/connect/projects")).toEqual([]);
});
