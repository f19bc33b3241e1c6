import type { Page } from "playwright-core";
import { expect, test } from "vitest";

import { newPerson } from "../../tools/browser/console.ts";
import { callAs } from "../../tools/browser/story/api.ts";
import { useStage, visit } from "../support/browser.ts";

const stage = useStage();

const dialogOf = (page: Page) => page.locator('[role="dialog"]:not([aria-modal="false"])');

test("a user creates a data store, edits its records, and deletes the store after typing its name", async () => {
  const ada = await newPerson(stage());
  const call = callAs(ada);
  const { page } = await visit(stage(), { api_key: ada.apiKey });
  await page.goto("/console/settings/data-stores");
  await page.getByText("No data stores yet").waitFor();
  await page.getByRole("button", { name: "New data store" }).first().click();
  await dialogOf(page).getByLabel("Name").fill("Shelves");
  await dialogOf(page).getByRole("button", { name: "Create data store" }).click();
  await page.getByRole("heading", { name: "Shelves" }).waitFor();
  const id = new URL(page.url()).pathname.split("/").at(-1);
  const record = () => call("GET", `/data_stores/${id}/records/shelf-a`);

  await page.getByRole("button", { name: "New record" }).first().click();
  const dialog = dialogOf(page);
  await dialog.getByLabel("Key").fill("shelf-a");
  await dialog.getByLabel("Value, as JSON").fill("{plums");
  await dialog.getByRole("button", { name: "Save record" }).click();
  await dialog.getByText("The value is not JSON").waitFor();
  await dialog.getByLabel("Value, as JSON").fill(`{"plums": 7}`);
  await dialog.getByRole("button", { name: "Save record" }).click();
  await dialog.waitFor({ state: "detached" });
  expect(await record()).toMatchObject({ value: { plums: 7 } });

  await page.getByRole("link", { name: "shelf-a" }).click();
  await page.getByRole("textbox", { name: "Value of shelf-a" }).fill(`{"plums": 8}`);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect.poll(record).toMatchObject({ value: { plums: 8 } });
  await page.getByRole("button", { name: "Delete shelf-a" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete record" }).click();
  await page.getByText("No records yet").waitFor();
  await expect.poll(() => new URL(page.url()).search).toBe("");

  await page.getByRole("button", { name: "Delete", exact: true }).click();
  const question = page.getByRole("alertdialog");
  await question.getByRole("textbox").fill("Shelves");
  await question.getByRole("button", { name: "Delete data store" }).click();
  await page.getByText("No data stores yet").waitFor();
  await expect(call("GET", `/data_stores/${id}`)).rejects.toThrow("404");
});

/** More than a page of a list has, and than a table renders. */
const MANY = 101;

const numbered = (prefix: string) =>
  Array.from({ length: MANY }, (_, index) => `${prefix}-${String(index).padStart(3, "0")}`);

/** Open a dialog by its URL, confirm it, and wait until it has closed. */
async function confirmAt(page: Page, url: string, [title, button]: [string, string]) {
  await page.goto("about:blank");
  await page.goto(url);
  const question = page.getByRole("alertdialog");
  await question.getByRole("heading", { name: title }).waitFor();
  expect(await page.locator("table tbody tr").count()).toBeLessThanOrEqual(100);
  await question.getByRole("button", { name: button }).click();
  await question.waitFor({ state: "detached" });
  await expect.poll(() => new URL(page.url()).hash).toBe("");
}

test("a row's dialog opens by its URL, also where the row is neither rendered nor loaded", async () => {
  const ada = await newPerson(stage());
  const call = callAs(ada);
  const { id } = await call("POST", "/data_stores", { name: "Shelves" });
  await Promise.all(
    numbered("shelf").map((key) => call("PUT", `/data_stores/${id}/records/${key}`, { value: 1 })),
  );
  const { page } = await visit(stage(), { api_key: ada.apiKey });

  // The first is loaded and not rendered; the second is read by its key.
  for (const key of ["shelf-090", "shelf-100"]) {
    const url = `/console/settings/data-stores/${id}#delete-${key}`;
    await confirmAt(page, url, [`Delete ${key}?`, "Delete record"]);
    await expect(call("GET", `/data_stores/${id}/records/${key}`)).rejects.toThrow("404");
    expect(await page.getByRole("link", { name: key }).count()).toBe(0);
  }
  expect(await call("GET", `/data_stores/${id}/records/shelf-099`)).toMatchObject({ value: 1 });
});

test("so does that of a row that the API reads on a later page, or that a filter leaves out", async () => {
  const ada = await newPerson(stage());
  const call = callAs(ada);
  const { id: project } = await call("POST", "/connect/projects", { name: "Shop" });
  const oldest = await call("POST", "/connect/oauth_clients", { name: "Oldest" });
  await Promise.all(
    numbered("server").map((name) => call("POST", "/connect/oauth_clients", { name })),
  );
  await call("POST", `/connect/${project}/tokens`, { external_user_id: "grace" });
  const { page } = await visit(stage(), { api_key: ada.apiKey });

  // The API reads no client by its id: it is found on a later page.
  const clients = `/console/connect/clients#revoke-${oldest.client_id}`;
  await confirmAt(page, clients, ["Revoke Oldest?", "Revoke"]);
  // A filter leaves the user out.
  const users = `/console/connect/${project}/users?q=none&env=production#delete-grace`;
  await confirmAt(page, users, ["Delete grace?", "Delete user"]);
  await page.getByText("No user matches").waitFor();
  expect(new URL(page.url()).search).toBe("?q=none&env=production");
});

test("the URL of a row's dialog shows that the row is gone, and leads back to the page", async () => {
  const ada = await newPerson(stage());
  const call = callAs(ada);
  const { id: store } = await call("POST", "/data_stores", { name: "Shelves" });
  const component_code = `export default { name: "Idle", version: "0.0.1", run() {} };`;
  const { id: source } = await call("POST", "/sources", { component_code });
  const { page, expectFault } = await visit(stage(), { api_key: ada.apiKey });
  expectFault(/status of 404 .*\/records\/gone\)$/);
  for (const path of [
    "settings/keys#revoke-key_gone",
    `settings/data-stores/${store}#delete-gone`,
    `sources/${source}/code#restore-99`,
  ]) {
    await page.goto(`/console/${path}`);
    const notice = page.getByRole("alert").filter({ hasText: "does not exist" });
    await notice.getByText(path.slice(path.indexOf("#"))).waitFor();
    expect(await page.getByRole("alertdialog").count()).toBe(0);
    await notice.getByRole("button", { name: "Back to the page" }).click();
    await notice.waitFor({ state: "detached" });
    expect(new URL(page.url()).hash).toBe("");
  }
});
