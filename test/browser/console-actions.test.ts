import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";

import { newPerson, type Person, signIn } from "../../tools/browser/console.ts";
import { callAs } from "../../tools/browser/story/api.ts";
import { deploy, endpointOf } from "../../tools/scripts/api.ts";
import { chooseApp } from "../support/app-picker.ts";
import { useStage, visit } from "../support/browser.ts";

const HTTP = `props: { http: "$.interface.http" }`;
const EMITS = `export default { name: "Orders", version: "0.0.1", ${HTTP}, run({ body }) { this.$emit(body) } };`;
const LISTENS = `export default { name: "Totals", version: "0.0.1", run(event) { this.$emit(event) } };`;

const stage = useStage();
let person: Person;
let call: ReturnType<typeof callAs>;

beforeAll(async () => {
  person = await newPerson(stage());
  call = callAs(person);
});

/** A user who sees the pages of operators, too. */
async function visitAsOwnerAndOperator() {
  const visited = await visit(stage(), { api_key: person.apiKey });
  await signIn(visited.context, { admin_token: stage().platform.adminToken });
  return visited;
}

const dialogOf = (page: Page) => page.locator('[role="dialog"]:not([aria-modal="false"])');

/** Press a button of a row, and answer its question. */
async function confirm(page: Page, button: string, answer: string): Promise<void> {
  await page.getByRole("button", { name: button }).click();
  await page
    .getByRole("alertdialog")
    .or(dialogOf(page))
    .getByRole("button", { name: answer })
    .click();
}

test("a user creates, changes and deletes a project's settings of an app", async () => {
  await callAs(stage().operator)("PUT", "/apps/plums", {
    name: "Plums",
    auth_type: "keys",
    fields: [{ name: "region", label: "Region", secret: false }],
  });
  const { id } = await call("POST", "/connect/projects", { name: "Orchard" });
  const { page } = await visit(stage(), { api_key: person.apiKey });
  await page.goto(`/console/connect/${id}/app-settings`);
  await page.getByRole("button", { name: "New app setting" }).first().click();
  const dialog = dialogOf(page);
  await chooseApp(page, "Plums", dialog);
  await dialog.getByLabel("Name", { exact: true }).fill("Europe");
  await dialog.getByLabel("Values of fields, as JSON").fill(`{"region": "eu"}`);
  await dialog.getByRole("button", { name: "Create app setting" }).click();
  await dialog.waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Edit Europe" }).click();
  await dialogOf(page).getByLabel("Name", { exact: true }).fill("Asia");
  await dialogOf(page).getByRole("button", { name: "Save" }).click();
  await confirm(page, "Delete Asia", "Delete app setting");
  await page.getByText("No app settings yet").waitFor();
  expect((await call("GET", `/connect/${id}/app_overrides`)).length).toBe(0);
});

test("the text of every filter is in the URL, and returns after a reload and with the back button", async () => {
  const { page } = await visitAsOwnerAndOperator();
  for (const [path, field, name] of [
    ["deploy", "Find a component", "q"],
    ["sources", "Filter sources", "q"],
    ["workflows", "Filter workflows", "q"],
    ["webhooks", "Filter webhooks", "q"],
    ["connect", "Filter projects", "q"],
    ["connect/apps", "Filter apps", "q"],
    ["settings/accounts", "App", "app"],
    ["admin", "Filter users", "q"],
    ["admin/workspaces", "Filter workspaces", "q"],
  ] as const) {
    await page.goto(`/console/${path}`);
    const filter = page.locator("main").getByLabel(field, { exact: true });
    await filter.fill("plum");
    const inUrl = () => new URL(page.url()).searchParams.get(name);
    await expect.poll(inUrl).toBe("plum");
    await page.reload();
    await expect.poll(() => filter.inputValue()).toBe("plum");
    await page.getByRole("link", { name: "Home", exact: true }).click();
    await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
    await page.goBack();
    await expect.poll(() => filter.inputValue()).toBe("plum");
    expect(inUrl()).toBe("plum");
  }
});

test("the search opens an action's dialog, under its own URL", async () => {
  const { page } = await visit(stage(), { api_key: person.apiKey });
  await page.goto("/console/");
  await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByPlaceholder(/search/i).waitFor();
  await page.keyboard.type("create a webhook");
  await page.getByText("Create a webhook").first().waitFor();
  await page.keyboard.press("Enter");
  await dialogOf(page).getByRole("button", { name: "Create webhook" }).waitFor();
  expect(new URL(page.url()).hash).toBe("#new");
  await page.keyboard.press("Escape");
  await dialogOf(page).waitFor({ state: "detached" });
  expect(new URL(page.url()).hash).toBe("");
  await page.goto("/console/settings/keys#new");
  await dialogOf(page).getByRole("button", { name: "Create API key" }).waitFor();
});

test("an operator ends a session, and its user is signed out", async () => {
  const ada = await newPerson(stage());
  const { page, context, expectFault } = await visit(stage(), { api_key: ada.apiKey });
  await page.goto("/console/webhooks");
  await page.getByRole("heading", { name: "Webhooks", level: 1 }).waitFor();
  const root = await visit(stage(), { admin_token: stage().platform.adminToken });
  await root.page.goto(`/console/admin/users/${ada.id}`);
  await confirm(root.page, "End the session of Chrome on Linux", "End session");
  await root.page.getByText("The user has no sessions").waitFor();
  expectFault(/status of 401/);
  await page.reload();
  await page.getByRole("heading", { name: "Sign in to Wellspring", level: 1 }).waitFor();
  expect((await context.request.get("/console/session")).status()).toBe(401);
});

test("the page follows the path of an event over several subscriptions", async () => {
  const [first, second] = [await deploy(person, EMITS), await deploy(person, LISTENS)];
  const url = `${stage().target.url}/way`;
  const { id: webhook } = await call("POST", "/webhooks", { url, name: "Cellar" });
  for (const [emitter_id, listener_id] of [
    [first.id, second.id],
    [second.id, webhook],
    [second.id, first.id],
  ])
    await call("POST", "/subscriptions", { emitter_id, listener_id });
  const { page } = await visit(stage(), { api_key: person.apiKey });
  await page.goto(`/console/sources/${first.id}/listeners`);
  const way = page.getByRole("region", { name: "Route of an event" });
  await way.getByRole("link", { name: "Totals" }).waitFor();
  await way.getByRole("link", { name: "Cellar" }).waitFor();
  // It returns to its start, and is not followed again.
  await way.getByLabel("back to").waitFor();
  expect(await way.getByRole("link", { name: "Totals" }).count()).toBe(1);
});

test("parked events are listed for their owner, and for operators without their content", async () => {
  const ada = await newPerson(stage());
  const [first, second] = [await deploy(ada, EMITS), await deploy(ada, LISTENS)];
  await callAs(ada)("POST", "/subscriptions", { emitter_id: first.id, listener_id: second.id });
  await fetch(endpointOf(first), {
    method: "POST",
    headers: { "content-type": "application/json", "x-wellspring-hops": "15" },
    body: `{"plum":"secretly"}`,
  });
  await expect.poll(async () => (await callAs(ada)("GET", "/parked_events")).length).toBe(1);
  const { page } = await visit(stage(), { api_key: ada.apiKey });
  await page.goto("/console/sources");
  await page.getByRole("link", { name: "Parked events" }).click();
  await page.getByText("hop limit (16) reached").waitFor();
  await page.getByRole("link", { name: "Totals" }).click();
  await page.getByText("secretly").first().waitFor();
  const root = await visit(stage(), { admin_token: stage().platform.adminToken });
  await root.page.goto("/console/admin/dead-letters");
  await root.page.getByText("hop limit (16) reached").waitFor();
  expect(await root.page.locator("body").innerText()).not.toContain("secretly");
});

test("a button of a row shows its tooltip on hover, and hides it on Escape", async () => {
  const ada = await newPerson(stage());
  const { page } = await visit(stage(), { api_key: ada.apiKey });
  await page.goto("/console/settings/keys");
  const button = page.getByRole("button", { name: /^Revoke / });
  await button.hover();
  const tooltip = page.locator("[popover]", { hasText: "Revoke" });
  await tooltip.waitFor({ state: "visible" });
  await page.keyboard.press("Escape");
  await tooltip.waitFor({ state: "hidden" });
  expect(await button.getAttribute("aria-label")).toMatch(/^Revoke /);
});
