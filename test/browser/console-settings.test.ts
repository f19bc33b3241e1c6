import type { Page } from "playwright-core";
import { expect, test } from "vitest";

import { newPerson } from "../../tools/browser/console.ts";
import { useStage, visit } from "../support/browser.ts";

const stage = useStage();

/** The open dialog; a toast also has the role, without a question. */
const dialogOf = (page: Page) => page.locator('[role="dialog"]:not([aria-modal="false"])');

/** The status of a request with an API key. */
async function statusWith(key: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}` };
  const { status } = await fetch(`${stage().platform.url}/users/me`, { headers });
  return status;
}

test("a user creates an API key, sees it once, and revokes it after a question", async () => {
  const person = await newPerson(stage());
  const { page } = await visit(stage(), { api_key: person.apiKey });
  await page.goto("/console/settings/keys");
  await page.getByRole("button", { name: "New API key" }).first().click();
  const dialog = dialogOf(page);
  await dialog.getByLabel("Name").fill("Laptop");
  await dialog.getByRole("button", { name: "Create API key" }).click();
  await dialog.getByText("it is not shown again").waitFor();
  const key = /\b[\w-]{32,}\b/.exec(await dialog.innerText())?.[0] ?? "";
  expect(await statusWith(key)).toBe(200);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Revoke Laptop" }).click();
  const question = page.getByRole("alertdialog");
  await question.getByRole("button", { name: "Revoke" }).click();
  // Behind an open dialog no button is found, whether or not its row is gone.
  await question.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Revoke Laptop" }).waitFor({ state: "detached" });
  expect(await statusWith(key)).toBe(401);
});

test("a user creates a project of Connect, and an OAuth client with a secret that is shown once", async () => {
  const person = await newPerson(stage());
  const { page } = await visit(stage(), { api_key: person.apiKey });
  await page.goto("/console/connect");
  await page.getByRole("button", { name: "New project" }).first().click();
  await dialogOf(page).getByLabel("Name", { exact: true }).fill("Shop");
  await page.getByRole("button", { name: "Create project" }).click();
  await page.getByRole("heading", { name: "Shop", level: 1 }).waitFor();
  await page.goto("/console/connect/clients");
  await page.getByRole("button", { name: "New client" }).first().click();
  const dialog = dialogOf(page);
  await dialog.getByLabel("Name", { exact: true }).fill("Backend");
  await dialog.getByRole("button", { name: "Create client" }).click();
  await dialog.getByText("it is not shown again").waitFor();
  const shown = await dialog.innerText();
  const secrets = [...shown.matchAll(/\b[\w-]{32,}\b/g)].map(([secret]) => secret);
  await page.keyboard.press("Escape");
  await page.reload();
  await page.getByText("Backend").first().waitFor();
  const left = await page.locator("body").innerText();
  expect(secrets.filter((secret) => !left.includes(secret))).toHaveLength(1);
});

test("an operator creates a user, whose key signs in", async () => {
  const { page } = await visit(stage(), { admin_token: stage().platform.adminToken });
  await page.goto("/console/admin");
  await page.getByRole("button", { name: "New user" }).first().click();
  const dialog = dialogOf(page);
  await dialog.getByLabel("User name").fill("grace");
  await dialog.getByLabel("E-mail").fill("grace@example.com");
  await dialog.getByRole("button", { name: "Create user" }).click();
  await dialog.getByText("it is not shown again").waitFor();
  const keys = [...(await dialog.innerText()).matchAll(/\b[\w-]{32,}\b/g)].map(([key]) => key);
  expect(await Promise.all(keys.map(statusWith))).toContain(200);
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "grace", exact: true }).click();
  await page.getByRole("heading", { name: "grace" }).waitFor();
});
