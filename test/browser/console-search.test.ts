import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";

import { newPerson } from "../../tools/browser/console.ts";
import { callAs } from "../../tools/browser/story/api.ts";
import { type Story, tellStory } from "../../tools/browser/story/story.ts";
import { useStage, visit } from "../support/browser.ts";

const stage = useStage();
let story: Story;

beforeAll(async () => {
  story = await tellStory(stage(), await newPerson(stage()));
});

/** Type into the search over everything, and open its first result. */
async function find(page: Page, text: string, result: RegExp | string): Promise<void> {
  await page.keyboard.press("Control+k");
  const field = page.getByPlaceholder(/search/i);
  await field.fill(text);
  await page.getByRole("option", { name: result }).first().waitFor();
  await page.keyboard.press("Enter");
  await field.waitFor({ state: "detached" });
}

const pathOf = (page: Page) => {
  const { pathname, search } = new URL(page.url());
  return `${pathname}${search}`;
};

test("one field leads to events, runs, deliveries and external users by their ids", async () => {
  const { page } = await visit(stage(), { api_key: story.person.apiKey });
  await page.goto("/console/");
  await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();

  await find(page, story.event, /^Order/);
  await page.getByText("Event id").waitFor();
  expect(pathOf(page)).toBe(`/console/sources/${story.orders.id}?event=${story.event}`);

  await find(page, story.run, /Fulfil an order/);
  await page.getByRole("heading", { level: 1 }).waitFor();
  expect(pathOf(page)).toBe(`/console/workflows/${story.fulfil}/runs/${story.run}`);

  await find(page, story.delivery, /Warehouse/);
  await page.getByText("Attempts").first().waitFor();
  expect(pathOf(page)).toBe(`/console/webhooks/${story.warehouse}/deliveries/${story.delivery}`);

  await find(page, "merchant-1", /merchant-118/);
  await page.getByRole("cell", { name: "merchant-118", exact: true }).waitFor();
  expect(pathOf(page)).toBe(
    `/console/connect/${story.project}/users?q=merchant-118&env=production`,
  );

  const call = callAs(story.person);
  const [account] = await call("GET", `/connect/${story.project}/accounts`);
  await find(page, account.id, account.id);
  await page.getByRole("cell", { name: account.name, exact: true }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/console/connect/${story.project}/accounts`);

  await find(page, "warehouse team", /Warehouse team/);
  await page.getByRole("heading", { name: "Warehouse team" }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/console/settings/workspaces/${story.workspace}`);
});

test("an id of somebody else's finds nothing", async () => {
  const eve = await newPerson(stage());
  const { page } = await visit(stage(), { api_key: eve.apiKey });
  await page.goto("/console/");
  await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
  for (const id of [story.event, story.run, story.delivery, story.orders.id, "merchant-118"]) {
    await page.keyboard.press("Control+k");
    const field = page.getByPlaceholder(/search/i);
    await field.fill(id);
    await page.getByText("No result matches.").waitFor();
    expect(await page.getByRole("option").count()).toBe(0);
    await page.keyboard.press("Escape");
    // Until the field is gone, the next text would be typed into the one that closes.
    await field.waitFor({ state: "detached" });
  }
});

test("an external user whose id is a number is found, and its page is filtered by it", async () => {
  const person = await newPerson(stage());
  const call = callAs(person);
  const { id: project } = await call("POST", "/connect/projects", { name: "Numbers" });
  for (const user of ["1e5", "100000"])
    await call("POST", `/connect/${project}/tokens`, { external_user_id: user });
  const { page } = await visit(stage(), { api_key: person.apiKey });
  await page.goto("/console/");
  await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
  await find(page, "1e5", "1e5");
  await page.getByRole("cell", { name: "1e5", exact: true }).waitFor();
  expect(await page.getByRole("cell", { name: "100000", exact: true }).count()).toBe(0);
});
