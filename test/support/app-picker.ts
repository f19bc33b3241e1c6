import type { Locator, Page } from "playwright-core";

/** Choose an app in a form of the console as a person does: open the choices, type, and pick one by its name. */
export async function chooseApp(page: Page, name: string, within: Locator | Page = page) {
  await within.getByRole("combobox", { name: "App" }).click();
  await page.getByPlaceholder("Search", { exact: true }).fill(name);
  await page.getByRole("option", { name, exact: true }).click();
}
