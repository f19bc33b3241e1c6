import type { Page } from "playwright-core";
import { expect, test } from "vitest";

import { newPerson } from "../../tools/browser/console.ts";
import { askAs } from "../../tools/browser/story/api.ts";
import { useStage, visit } from "../support/browser.ts";

const stage = useStage();

const dialogOf = (page: Page) => page.locator('[role="dialog"]:not([aria-modal="false"])');

test("a user creates a data store, edits its records, and deletes the store after typing its name", async () => {
  const ada = await newPerson(stage());
  const ask = askAs(ada);
  const { page } = await visit(stage(), { api_key: ada.apiKey });
  await page.goto("/console/settings/data-stores");
  await page.getByText("No data stores yet").waitFor();
  await page.getByRole("button", { name: "New data store" }).first().click();
  await dialogOf(page).getByLabel("Name").fill("Shelves");
  await dialogOf(page).getByRole("button", { name: "Create data store" }).click();
  await page.getByRole("heading", { name: "Shelves" }).waitFor();
  const id = new URL(page.url()).pathname.split("/").at(-1);
  const record = () => ask("GET", `/data_stores/${id}/records/shelf-a`);

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
  await expect(ask("GET", `/data_stores/${id}`)).rejects.toThrow("404");
});
