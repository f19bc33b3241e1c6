// @runs first

import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";

import { type Credentials, newPerson, signIn } from "../../tools/browser/console.ts";
import { stilled } from "../../tools/browser/pages.ts";
import { callAs } from "../../tools/browser/story/api.ts";
import { type Story, tellStory } from "../../tools/browser/story/story.ts";
import { barriersOf } from "../support/barriers.ts";
import { useOnePage, useStage, visit } from "../support/browser.ts";

const stage = useStage();
let story: Story;

beforeAll(async () => {
  story = await tellStory(stage(), await newPerson(stage()));
});

type Dialog = {
  path: (story: Story) => string;
  /** The end of the URL. */
  name: string;
  title: RegExp | string;
  /** A text with which the dialog begins anew, once its data was read. */
  text?: string;
};

/** The dialogs of pages that are no rows of a list. */
const DIALOGS: Dialog[] = [
  { path: () => "webhooks", name: "new", title: "New webhook" },
  { path: () => "settings/keys", name: "new", title: "New API key" },
  { path: () => "settings/data-stores", name: "new", title: "New data store" },
  { path: ({ shelves }) => `settings/data-stores/${shelves}`, name: "new", title: "New record" },
  { path: ({ shelves }) => `settings/data-stores/${shelves}`, name: "delete", title: /^Delete / },
  {
    path: ({ shelves }) => `settings/data-stores/${shelves}`,
    name: "delete-shelf-a",
    title: "Delete shelf-a?",
  },
  { path: ({ account }) => `settings/accounts/${account}`, name: "delete", title: /^Delete / },
  {
    path: ({ account }) => `settings/accounts/${account}`,
    name: "reconnect",
    title: /^Connect .+ again$/,
  },
  { path: () => "connect", name: "new", title: "New project" },
  { path: () => "connect/clients", name: "new", title: "New OAuth client" },
  { path: ({ project }) => `connect/${project}/oauth-apps`, name: "new", title: "New OAuth app" },
  {
    path: ({ project }) => `connect/${project}/app-settings`,
    name: "new",
    title: "New app setting",
  },
  {
    path: ({ project }) => `connect/${project}/settings`,
    name: "report-url",
    title: "Reports of connections",
  },
  { path: ({ project }) => `connect/${project}/settings`, name: "delete", title: /^Delete / },
  {
    path: ({ project }) => `connect/${project}/users?env=production`,
    name: "delete-merchant-118",
    title: "Delete merchant-118?",
  },
  {
    path: ({ project }) => `connect/${project}/users?env=production`,
    name: "quotas-merchant-118",
    title: "Quotas of merchant-118",
    text: "in use",
  },
  { path: ({ warehouse }) => `webhooks/${warehouse}`, name: "replay", title: "Replay a time span" },
  {
    path: ({ warehouse }) => `webhooks/${warehouse}/subscriptions`,
    name: "subscribe",
    title: "Subscribe to events",
  },
  {
    path: ({ warehouse }) => `webhooks/${warehouse}/settings`,
    name: "rotate-secret",
    title: "Rotate the signing secret",
  },
  {
    path: ({ warehouse }) => `webhooks/${warehouse}/settings`,
    name: "delete",
    title: "Delete Warehouse?",
  },
  { path: ({ orders }) => `sources/${orders.id}`, name: "test-event", title: "Send a test event" },
  { path: ({ orders }) => `sources/${orders.id}`, name: "delete", title: "Delete “Orders”?" },
  {
    path: ({ orders, event }) => `sources/${orders.id}?event=${event}`,
    name: "replay",
    title: "Send this event again?",
  },
  {
    path: ({ orders }) => `sources/${orders.id}/listeners`,
    name: "subscribe",
    title: "Subscribe to “Orders”",
  },
  {
    path: ({ orders }) => `sources/${orders.id}/code`,
    name: "restore-1",
    title: "Restore version 1?",
  },
  { path: ({ fulfil }) => `workflows/${fulfil}`, name: "run", title: "Run now" },
  { path: ({ fulfil }) => `workflows/${fulfil}`, name: "delete", title: /^Delete / },
  {
    path: () => "deploy/component/plum-new-delivery",
    name: "connect-plum",
    title: "Connect an account of plum",
  },
  { path: () => "admin", name: "new", title: "New user" },
  { path: ({ person }) => `admin/users/${person.id}`, name: "new-key", title: "Issue an API key" },
  { path: ({ person }) => `admin/users/${person.id}`, name: "delete", title: /^Delete / },
  { path: () => "admin/workspaces", name: "new", title: "New workspace" },
  {
    path: ({ workspace }) => `admin/workspaces/${workspace}`,
    name: "add-member",
    title: "Add a member",
  },
  { path: () => "admin/imports", name: "new", title: "Import components" },
];

/** The dialog over the page: toasts are dialogs, too, but not modal. */
const DIALOG = '[role="alertdialog"], [role="dialog"]:not([aria-modal="false"])';

/** A common phone. */
const PHONE = { width: 390, height: 844 };

/** The buttons and fields of the dialog that a phone's user can reach in no way: beside the window, or below it. */
const outsideOf = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelector('${DIALOG}').querySelectorAll("button, input, textarea")]
    .filter((one) => one.checkVisibility({ visibilityProperty: true }) && one.offsetWidth > 4)
    .filter((one) => {
      one.scrollIntoView({ block: "nearest" });
      const { left, right, top, bottom } = one.getBoundingClientRect();
      return left < 0 || right > innerWidth + 1 || top < -1 || (bottom > innerHeight + 1 && bottom - top < innerHeight);
    })
    .map((one) => one.outerHTML.slice(0, 200))`);

const dialogOn = (page: Page) => page.locator(DIALOG);

/** The accessibility violations of the dialog, once its colours have settled. */
async function barriersIn(page: Page, colorScheme: "dark" | "light"): Promise<string[]> {
  await page.emulateMedia({ colorScheme });
  await stilled(page);
  return barriersOf(page, {
    within: DIALOG,
    ...(colorScheme === "dark" && { rules: ["color-contrast"] }),
  });
}

/** The credentials of a user who sees every page. */
const ofAll = (): [Credentials, Credentials] => [
  { api_key: story.person.apiKey },
  { admin_token: stage().platform.adminToken },
];

/** A user who sees every page. */
async function visitAll() {
  const [own, operator] = ofAll();
  const visited = await visit(stage(), own);
  await signIn(visited.context, operator);
  return visited;
}

const pageOfAll = useOnePage(stage, ofAll);

test.for(DIALOGS.map((dialog) => [`${dialog.title}`, dialog] as const))(
  "the dialog %s has a URL and no accessibility violation, and closing it leaves the page behind it",
  async ([, { path, name, title, text }]) => {
    const page = await pageOfAll();
    const url = `/console/${path(story)}`;
    await page.goto(`${url}#${name}`);
    const dialog = dialogOn(page);
    await dialog.getByRole("heading", { name: title }).waitFor();
    if (text !== undefined) await dialog.getByText(text).first().waitFor();
    expect(await dialog.count()).toBe(1);
    expect(await barriersIn(page, "light")).toEqual([]);
    expect(await barriersIn(page, "dark")).toEqual([]);
    await page.setViewportSize(PHONE);
    expect(await outsideOf(page)).toEqual([]);
    expect(await barriersOf(page, { within: DIALOG, rules: ["target-size"] })).toEqual([]);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    const left = new URL(page.url());
    expect([left.pathname + left.search, left.hash]).toEqual([url, ""]);
  },
);

test("the back button closes a dialog, the forward button opens it, and the focus returns", async () => {
  const { page } = await visitAll();
  await page.goto("/console/settings/keys");
  const button = page.getByRole("button", { name: "New API key" });
  await button.click();
  const dialog = dialogOn(page);
  await dialog.getByLabel("Name").fill("CI");
  expect(new URL(page.url()).hash).toBe("#new");
  await page.goBack();
  await dialog.waitFor({ state: "detached" });
  expect(new URL(page.url()).pathname).toBe("/console/settings/keys");
  await expect.poll(() => page.locator("button:focus").allInnerTexts()).toEqual(["New API key"]);
  await page.goForward();
  // It begins anew.
  expect(await dialog.getByLabel("Name").inputValue()).toBe("");
  // Closing it by hand adds nothing to the history.
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "detached" });
  await button.click();
  await dialog.waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page.goForward();
  await dialog.waitFor();
});

test("after a resource was created, the back button leads to the list, not to the form", async () => {
  const { page } = await visitAll();
  await page.goto("/console/settings/data-stores");
  await page.getByRole("button", { name: "New data store" }).first().click();
  await dialogOn(page).getByLabel("Name").fill("Crates");
  await dialogOn(page).getByRole("button", { name: "Create data store" }).click();
  await page.getByRole("heading", { name: "Crates" }).waitFor();
  await page.goBack();
  await page.getByRole("link", { name: "Crates" }).waitFor();
  expect(await dialogOn(page).count()).toBe(0);
  expect(new URL(page.url()).hash).toBe("");
});

test("a row with any characters in its name is deleted by its dialog's URL", async () => {
  const call = callAs(story.person);
  const { id } = await call("POST", "/data_stores", { name: "Odd" });
  const keys = ["50% #1", "a/b?c", "ä ö"];
  for (const key of keys)
    await call("PUT", `/data_stores/${id}/records/${encodeURIComponent(key)}`, { value: 1 });
  const { page } = await visitAll();
  await page.goto(`/console/settings/data-stores/${id}`);
  for (const key of keys) {
    await page.getByRole("button", { name: `Delete ${key}` }).click();
    const dialog = dialogOn(page);
    await dialog.getByRole("heading", { name: `Delete ${key}?` }).waitFor();
    await page.reload();
    await dialog.getByRole("button", { name: "Delete record" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("link", { name: key }).waitFor({ state: "detached" });
  }
  await page.getByText("No records yet").waitFor();
  expect(await call("GET", `/data_stores/${id}/records`)).toEqual([]);
});

test("the form of built code, and the one that edits props, have URLs of their own", async () => {
  const { page, context } = await visitAll();
  await page.goto("/console/deploy/code");
  await page.getByRole("button", { name: "Build" }).click();
  await page.getByRole("button", { name: "Deploy", exact: true }).waitFor();
  await page.reload();
  await page.getByRole("button", { name: "Deploy", exact: true }).waitFor();
  // Another tab has no draft, and shows the code that was built.
  const other = await context.newPage();
  await other.goto(page.url());
  await other.getByRole("button", { name: "Deploy", exact: true }).waitFor();
  expect(new URL(other.url()).searchParams.get("built")).toMatch(/^sc_/);

  await page.goto(`/console/sources/${story.stock}/configuration`);
  await page.getByRole("link", { name: "Edit" }).click();
  await page.getByRole("button", { name: "Cancel" }).waitFor();
  await page.reload();
  await page.getByRole("button", { name: "Cancel" }).waitFor();
  await page.goBack();
  await page.getByRole("link", { name: "Edit" }).waitFor();
});
