import type { Page } from "playwright-core";
import { beforeAll, expect, test, vi } from "vitest";

import { newPerson, signIn } from "../../tools/browser/console.ts";
import { settled } from "../../tools/browser/pages.ts";
import { callAs } from "../../tools/browser/story/api.ts";
import { type Story, tellStory } from "../../tools/browser/story/story.ts";
import { useStage, visit } from "../support/browser.ts";
import { Keyboard } from "../support/keyboard.ts";

const stage = useStage();

const EVENT = `{"method": "POST", "path": "/pears", "body": {"n": 1}}`;

/** The dialog over the page: toasts are dialogs, too, but not modal. */
const dialogOn = (page: Page) =>
  page.locator('[role="alertdialog"], [role="dialog"]:not([aria-modal="false"])');

const headed = (page: Page, name: RegExp | string) =>
  page.getByRole("heading", { name, level: 1 }).waitFor();

/** Sign in by a link, and deploy the code that the page begins with. */
async function deploySource(page: Page, keyboard: Keyboard): Promise<void> {
  await page.getByText("Deploy your first source").waitFor();
  // The first Tab offers to skip the navigation, and the next one is in the page.
  await keyboard.tabTo(/^Skip to the page$/, 1);
  await keyboard.press("Enter");
  await keyboard.open(/^Deploy a source$/, 10);
  await headed(page, /Deploy/);
  await keyboard.open(/^Write code$/, 10);
  await page.getByRole("textbox", { name: "Code of the component" }).waitFor();
  await keyboard.open(/^Build$/);
  await page.getByRole("button", { name: "Deploy", exact: true }).waitFor();
  await keyboard.tabTo(/^Name of the source/);
  await keyboard.type("By keyboard");
  await keyboard.press("Enter");
  await headed(page, "By keyboard");
}

/** Send an event from the page of the source, look at it, and go back to the list. */
async function sendEvent(page: Page, keyboard: Keyboard): Promise<void> {
  await keyboard.open(/^Send a test event$/, 10);
  const dialog = dialogOn(page);
  await dialog.waitFor();
  await keyboard.tabTo(/^Event as JSON$/, 10);
  await page.keyboard.insertText(EVENT);
  await keyboard.open(/^Send$/, 10);
  await dialog.getByText("1 event").waitFor();
  await keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await expect.poll(() => keyboard.focused()).toBe("Send a test event");
  await keyboard.open(/^POST \/pears/);
  await page.getByText("Event id").waitFor();
  await expect.poll(() => keyboard.focused()).toBe("The chosen one");
  await keyboard.open(/^Close$/, 2);
  await page.getByText("Event id").waitFor({ state: "detached" });
  await expect.poll(() => keyboard.focused()).toMatch(/^POST \/pears/);
}

/** Create a webhook by the search's action, and subscribe it to the source. */
async function subscribeWebhook(page: Page, keyboard: Keyboard, url: string): Promise<void> {
  await keyboard.press("Shift+Tab", "Control+k");
  await page.getByPlaceholder(/search/i).waitFor();
  await keyboard.type("create a webhook");
  await page.getByText("Create a webhook").first().waitFor();
  await keyboard.press("Enter");
  const dialog = dialogOn(page).filter({ hasText: "New webhook" });
  await dialog.getByRole("button", { name: "Create webhook" }).waitFor();
  await keyboard.tabTo(/^URL/, 5);
  await keyboard.type(url);
  await keyboard.press("Enter");
  await dialog.getByText("it is not shown again").waitFor();
  await keyboard.open(/^Subscribe it to a source$/, 10);
  await page.getByText("No subscriptions yet").waitFor();
  await keyboard.open(/^Subscribe$/);
  await dialogOn(page).getByRole("combobox").waitFor();
  await keyboard.tabTo(/^Source or workflow/, 5);
  await keyboard.type("keyboard");
  await page.getByRole("option", { name: /by keyboard/i }).waitFor();
  await keyboard.press("ArrowDown", "Enter");
  await keyboard.open(/^Subscribe$/, 10);
  await page.getByRole("link", { name: "By keyboard" }).waitFor();
}

test("the keyboard alone leads a new person from the link that signs in to a delivery", async () => {
  const ada = await newPerson(stage());
  const { page } = await visit(stage());
  const keyboard = new Keyboard(page);
  const target = `${stage().target.url}/keyboard`;
  const { url } = await callAs(stage().operator)("POST", "/sign_in_links", { user_id: ada.id });
  await page.goto(url);
  await deploySource(page, keyboard);
  await sendEvent(page, keyboard);
  await subscribeWebhook(page, keyboard, target);
  await keyboard.open(/^By keyboard$/);
  await headed(page, "By keyboard");
  await keyboard.open(/^Send a test event$/);
  await dialogOn(page).waitFor();
  await keyboard.tabTo(/^Event as JSON$/, 10);
  await page.keyboard.insertText(EVENT);
  await keyboard.open(/^Send$/, 10);
  // Until the run has ended, Escape does not close the dialog.
  await dialogOn(page).getByText("1 event").waitFor();
  await expect.poll(() => stage().target.arrived.map(({ path }) => path)).toContain("/keyboard");
  await keyboard.press("Escape");
  await dialogOn(page).waitFor({ state: "detached" });

  await keyboard.press("Control+k");
  await page.getByPlaceholder(/search/i).waitFor();
  await keyboard.type(target);
  await page.getByRole("option", { name: target }).first().waitFor();
  await keyboard.press("Enter");
  await headed(page, target);
  await keyboard.open(/^dlv_/);
  await page.getByText("HTTP 200").waitFor();
});

test("after a row was deleted, and after another page was opened, the keyboard goes on in the page", async () => {
  const ada = await newPerson(stage());
  const call = callAs(ada);
  const { id } = await call("POST", "/data_stores", { name: "Shelves" });
  for (const key of ["a", "b"])
    await call("PUT", `/data_stores/${id}/records/${key}`, { value: 1 });
  const { page } = await visit(stage(), { api_key: ada.apiKey });
  const keyboard = new Keyboard(page);
  await page.goto(`/console/settings/data-stores/${id}`);
  const remove = async (key: string, most: number) => {
    await page.getByRole("link", { name: key, exact: true }).waitFor();
    await keyboard.open(new RegExp(`^Delete ${key}$`), most);
    await dialogOn(page).waitFor();
    await keyboard.open(/^Delete record$/, 5);
    // The dialog has the focus until it is gone, and no link behind it is found.
    await dialogOn(page).waitFor({ state: "detached" });
    await page.getByRole("link", { name: key, exact: true }).waitFor({ state: "detached" });
    await expect.poll(() => keyboard.focused()).not.toBe("");
  };
  await remove("a", 60);
  await remove("b", 20);
  await keyboard.open(/^New record$/, 20);
  await dialogOn(page).waitFor();
  await keyboard.press("Escape");
  await dialogOn(page).waitFor({ state: "detached" });
  await keyboard.open(/^All data stores$/);
  await page.getByRole("link", { name: "Shelves" }).waitFor();
  await keyboard.open(/^Shelves$/);
  await page.getByText("No records yet").waitFor();
});

/** The paths of pages with all kinds of controls, of the person of a story. */
const PAGES: Record<string, (story: Story) => string> = {
  "the overview": () => "",
  "a component": () => "deploy/component/plum-new-delivery",
  "an editor": () => "deploy/code",
  "a list": () => "sources",
  "an event": ({ orders, event }) => `sources/${orders.id}?event=${event}`,
  "a run": ({ fulfil, run }) => `workflows/${fulfil}/runs/${run}`,
  settings: ({ warehouse }) => `webhooks/${warehouse}/settings`,
  "a project": ({ project }) => `connect/${project}`,
  keys: () => "settings/keys",
  alerts: () => "admin/alerts",
};

let story: Story;

beforeAll(async () => {
  story = await tellStory(stage(), await newPerson(stage()));
});

test.for(Object.entries(PAGES))(
  "wherever Tab leads on the page of %s, the focus is seen, in both themes",
  async ([, pathOf]) => {
    const { page, context } = await visit(stage(), { api_key: story.person.apiKey });
    await signIn(context, { admin_token: stage().platform.adminToken });
    const keyboard = new Keyboard(page);
    const unseen: string[] = [];
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await page.goto(`/console/${pathOf(story)}`);
      await page.locator("main h1").first().waitFor();
      await settled(page);
      for (let stop = 0; stop < 45; stop += 1) {
        await keyboard.press("Tab");
        const name = await keyboard.focused();
        if (name === "") break;
        // Styles of the focus fade in.
        const isSeen = await vi
          .waitUntil(() => keyboard.showsFocus(), { interval: 10, timeout: 10_000 })
          .catch(() => false);
        if (!isSeen) unseen.push(`${colorScheme}: ${name}`);
      }
    }
    expect(unseen).toEqual([]);
  },
);
