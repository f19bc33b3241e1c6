import type { Page } from "playwright-core";
import { expect, test } from "vitest";

import { newPerson, type Person } from "../../tools/browser/console.ts";
import { askAs, post } from "../../tools/browser/story/api.ts";
import { useStage, visit } from "../support/browser.ts";

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
  const { url } = await askAs(stage().operator)("POST", "/sign_in_links", { user_id: person.id });
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

/** Press Tab until the focus is on an element with this name. */
async function tabTo(page: Page, name: RegExp, most = 60): Promise<void> {
  const named = `(() => {
    const at = document.activeElement;
    return at?.getAttribute("aria-label") || at?.labels?.[0]?.textContent || at?.textContent || "";
  })()`;
  for (let pressed = 0; pressed < most; pressed += 1) {
    await page.keyboard.press("Tab");
    if (name.test(String(await page.evaluate(named)).trim())) return;
  }
  throw new Error(`Tab did not lead to ${String(name)}`);
}

test("a user reaches a delivery from the sign-in with the keyboard alone", async () => {
  const ada = await newPerson(stage());
  const { page } = await visit(stage());
  const { keyboard } = page;
  await page.goto("/console/");
  await page.getByRole("heading", { name: "Sign in to Wellspring" }).waitFor();
  await tabTo(page, /^API key/, 3);
  await keyboard.type(ada.apiKey);
  await keyboard.press("Enter");
  await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
  await tabTo(page, /^Skip to the page/);
  await tabTo(page, /^Deploy$/);
  await keyboard.press("Enter");
  await page.getByRole("heading", { name: /Deploy/, level: 1 }).waitFor();
  await tabTo(page, /^Write code/);
  await keyboard.press("Enter");
  await page.getByRole("textbox", { name: "Code of the component" }).waitFor();
  await tabTo(page, /^Build$/);
  await keyboard.press("Enter");
  await page.getByRole("button", { name: "Deploy", exact: true }).waitFor();
  await tabTo(page, /^Name of the source/);
  await keyboard.type("By keyboard");
  await keyboard.press("Enter");
  await page.getByRole("heading", { name: "By keyboard", level: 1 }).waitFor();

  await page.goto("/console/webhooks");
  await page.getByRole("heading", { name: "Webhooks", level: 1 }).waitFor();
  await tabTo(page, /^New webhook/);
  await keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  // The focus is in the dialog, stays there, and returns to the button that opened it.
  const focused = page.locator("[role=dialog]:focus, [role=dialog] :focus");
  await expect.poll(() => focused.count()).toBe(1);
  await keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await expect.poll(() => page.locator("button:focus").innerText()).toContain("New webhook");
  await keyboard.press("Enter");
  await dialog.waitFor();
  await dialog.getByLabel("URL").focus();
  await keyboard.type(`${stage().target.url}/keyboard`);
  await keyboard.press("Enter");
  await dialog.getByRole("link", { name: "Subscribe it to a source" }).focus();
  await keyboard.press("Enter");
  await page.getByText("No subscriptions yet").waitFor();
  await tabTo(page, /^Subscribe$/);
  await keyboard.press("Enter");
  await page.getByRole("combobox", { name: "Source or workflow" }).focus();
  await keyboard.type("keyboard");
  await page.getByRole("option", { name: /by keyboard/i }).waitFor();
  await keyboard.press("ArrowDown");
  await keyboard.press("Enter");
  await tabTo(page, /^Subscribe$/);
  await keyboard.press("Enter");
  await page.getByRole("link", { name: "By keyboard" }).waitFor();
  const [source] = await askAs(ada)("GET", "/users/me/sources");
  await post(source.configured_props.http.endpoint_url, { id: 1 });
  await expect.poll(() => arrivedAt("/keyboard").length).toBe(1);
});
