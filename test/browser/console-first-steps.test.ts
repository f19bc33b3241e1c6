import type { Page } from "playwright-core";
import { expect, test } from "vitest";

import { newPerson, type Person } from "../../tools/browser/console.ts";
import { callAs, post } from "../../tools/browser/story/api.ts";
import { overhangOf, useStage, visit } from "../support/browser.ts";

const CODE = `export default {
  name: "Orders",
  version: "0.0.1",
  props: {
    http: "$.interface.http",
    minimum: { type: "integer", label: "Smallest total", min: 1 },
  },
  run({ body }) {
    if (body.total >= this.minimum) this.$emit(body, { summary: "Order " + body.id });
  },
};
`;

const stage = useStage();

const arrivedAt = (path: string) =>
  stage()
    .target.arrived.filter((request) => request.path === path)
    .map(({ body }) => body);

async function linkOf(person: Person): Promise<string> {
  const { url } = await callAs(stage().operator)("POST", "/sign_in_links", { user_id: person.id });
  return url;
}

/** The URL of the endpoint, as the page of a source shows it. */
async function endpointOn(page: Page): Promise<string> {
  const shown = page.getByText(/^http:\S+\/e\/\S+/).first();
  await shown.waitFor();
  return (await shown.innerText()).trim();
}

test("a new user signs in with a link, deploys code, sees its event live, and has it delivered", async () => {
  const ada = await newPerson(stage());
  const { page, expectFault } = await visit(stage());
  await page.goto(await linkOf(ada));
  await page.getByText("Deploy your first source").waitFor();
  await page.getByRole("link", { name: "Deploy a source" }).click();
  await page.getByRole("link", { name: "Write code" }).first().click();

  const editor = page.getByRole("textbox", { name: "Code of the component" });
  // A build error is shown at its place in the code.
  expectFault(/status of 422/);
  await editor.fill(CODE.replace("run({ body }) {", "run({ body ) {"));
  await page.getByRole("button", { name: "Build" }).click();
  await page.getByText(/^Line 8, column \d+/).waitFor();
  const marked = page.locator(".cm-line", { has: page.locator(".cm-lintRange-error") });
  await expect.poll(() => marked.allInnerTexts()).toEqual(["  run({ body ) {"]);
  await editor.fill(CODE);
  await page.getByRole("button", { name: "Build" }).click();
  const minimum = page.getByLabel("Smallest total");
  await minimum.waitFor();
  await page.getByRole("button", { name: "Deploy", exact: true }).click();
  await page.getByText("Smallest total is required").waitFor();
  await minimum.fill("5");
  await page.getByRole("button", { name: "Deploy", exact: true }).click();
  await page.getByRole("heading", { name: "Orders", level: 1 }).waitFor();

  const endpoint = await endpointOn(page);
  await page.getByText("Live", { exact: true }).waitFor();
  await post(endpoint, { id: 1, total: 9 });
  await page.getByText("Order 1").first().waitFor();

  await page.getByRole("link", { name: "Webhooks" }).click();
  await page.getByRole("button", { name: "New webhook" }).first().click();
  await page.getByRole("dialog").getByLabel("URL").fill(`${stage().target.url}/first`);
  await page.getByRole("button", { name: "Create webhook" }).click();
  await page.getByRole("link", { name: "Subscribe it to a source" }).click();
  await page.getByRole("button", { name: "Subscribe" }).first().click();
  await page.getByRole("combobox", { name: "Source or workflow" }).fill("Orders");
  await page.getByRole("option", { name: /orders/i }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Subscribe" }).click();
  await page.getByRole("link", { name: "Orders" }).waitFor();
  await post(endpoint, { id: 2, total: 9 });
  await expect.poll(() => arrivedAt("/first")).toEqual([`{"id":2,"total":9}`]);
  await page.getByRole("link", { name: "Deliveries" }).click();
  await page.getByText("Delivered").last().waitFor();
});

test.for(["dark", "light"] as const)(
  "on a phone in %s, by touch alone, a user deploys code, sees an event as a tree, and deletes the source",
  async (colorScheme) => {
    const ada = await newPerson(stage());
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
    const { page } = await visit(stage(), { api_key: ada.apiKey }, { ...phone, colorScheme });
    const fits = async () => {
      await expect.poll(() => overhangOf(page)).toBeLessThanOrEqual(0);
    };
    const button = (name: RegExp | string) => page.getByRole("button", { name }).first();
    await page.goto("/console/");
    await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
    await page.getByRole("banner").getByRole("button").first().tap();
    await page.getByRole("link", { name: "Deploy", exact: true }).tap();
    await page.getByRole("heading", { name: /Deploy/, level: 1 }).waitFor();
    await page.getByRole("link", { name: "Write code" }).first().tap();
    await page.getByRole("textbox", { name: "Code of the component" }).fill(CODE);
    await button("Build").tap();
    await page.getByLabel("Smallest total").fill("5");
    await fits();
    await button(/^Deploy$/).tap();
    await page.getByRole("heading", { name: "Orders", level: 1 }).waitFor();
    const endpoint = await endpointOn(page);
    await page.getByText("Live", { exact: true }).waitFor();
    await post(endpoint, { id: 3, total: 9, customer: { city: "Graz" } });
    await page.getByRole("link", { name: "Order 3" }).tap();
    await page.getByText("Graz").waitFor();
    await fits();
    await button("Close").tap();
    await page.getByText("Graz").waitFor({ state: "detached" });
    await button(/^Delete$/).tap();
    const question = page.getByRole("alertdialog");
    await question.getByRole("button", { name: "Delete the source" }).tap();
    await page.waitForURL("**/console/sources");
    await page.getByText("No sources yet").waitFor();
    await fits();
  },
);
