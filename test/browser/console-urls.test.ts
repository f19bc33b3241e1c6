import type { Page } from "playwright-core";
import { expect, test } from "vitest";

import { newPerson } from "../../tools/browser/console.ts";
import { callAs } from "../../tools/browser/story/api.ts";
import { useStage, visit } from "../support/browser.ts";

const CODE = `export default { name: "Orders", version: "0.0.1", props: { http: "$.interface.http" },
  run({ body }) { this.$emit(body); } };`;

const stage = useStage();

/** A user with an active source and a paused one, on a page of the console. */
async function opened(path: string) {
  const person = await newPerson(stage());
  const call = callAs(person);
  const fields = { component_code: CODE };
  await call("POST", "/sources", { ...fields, name: "Orders" });
  const returns = await call("POST", "/sources", { ...fields, name: "Returns" });
  await call("PUT", `/sources/${returns.id}`, { active: false });
  const { page } = await visit(stage(), { api_key: person.apiKey });
  await page.goto(`/console/${path}`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  return { page };
}

const sourcesOn = (page: Page) =>
  page.locator("main").getByRole("link", { name: /^(Orders|Returns)$/ });

test("the back button undoes a chosen filter, and a typed one is no entry of the history", async () => {
  const { page } = await opened("");
  await page.getByRole("link", { name: "Sources", exact: true }).click();
  await expect.poll(() => sourcesOn(page).allInnerTexts()).toEqual(["Returns", "Orders"]);
  await page.getByText("Paused", { exact: true }).first().click();
  await expect.poll(() => sourcesOn(page).allInnerTexts()).toEqual(["Returns"]);
  await page.locator("main").getByRole("searchbox").pressSequentially("ret", { delay: 250 });
  await expect.poll(() => new URL(page.url()).searchParams.get("q")).toBe("ret");
  await page.goBack();
  await expect.poll(() => sourcesOn(page).allInnerTexts()).toEqual(["Returns", "Orders"]);
  expect(await page.locator("main").getByRole("searchbox").inputValue()).toBe("");
  await page.goForward();
  await expect.poll(() => sourcesOn(page).allInnerTexts()).toEqual(["Returns"]);
  expect(await page.locator("main").getByRole("searchbox").inputValue()).toBe("ret");
  await page.goBack();
  await page.goBack();
  await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();

  await page.getByRole("link", { name: "Webhooks", exact: true }).click();
  await page.getByRole("link", { name: "Inactive" }).click();
  await page.getByText("No webhook matches").waitFor();
  await page.goBack();
  await page.getByText("No webhooks yet").waitFor();
});
