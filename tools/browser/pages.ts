import type { Page } from "playwright-core";

import type { Story } from "./story/story.ts";

/** A page of the console, or a tab of one. */
export type ConsolePage = { name: string; path: (story: Story) => string };

/** Every page, with a shop's data. */
export const PAGES: readonly ConsolePage[] = [
  { name: "home", path: () => "" },
  { name: "deploy", path: () => "deploy?q=plum" },
  { name: "deploy-component", path: () => "deploy/component/plum-new-delivery" },
  { name: "deploy-code", path: () => "deploy/code" },
  { name: "sources", path: () => "sources" },
  ...tabs("source", "", "logs", "errors", "state", "configuration", "code", "listeners").map(
    ({ name, path }) => ({ name, path: ({ orders }: Story) => `sources/${orders.id}${path}` }),
  ),
  { name: "event", path: ({ orders, event }) => `sources/${orders.id}?event=${event}` },
  { name: "source-failing", path: ({ tracking }) => `sources/${tracking}/errors` },
  { name: "webhooks", path: () => "webhooks" },
  ...tabs("webhook", "", "subscriptions", "verify", "settings").map(({ name, path }) => ({
    name,
    path: ({ warehouse }: Story) => `webhooks/${warehouse}${path}`,
  })),
  {
    name: "delivery",
    path: ({ warehouse, delivery }) => `webhooks/${warehouse}/deliveries/${delivery}`,
  },
  { name: "workflows", path: () => "workflows" },
  { name: "workflow-new", path: () => "workflows/new" },
  ...tabs("workflow", "", "events", "definition", "versions").map(({ name, path }) => ({
    name,
    path: ({ fulfil }: Story) => `workflows/${fulfil}${path}`,
  })),
  { name: "run", path: ({ fulfil, run }) => `workflows/${fulfil}/runs/${run}` },
  ...tabs("connect", "", "clients", "apps", "usage").map(({ name, path }) => ({
    name,
    path: () => `connect${path}`,
  })),
  ...tabs(
    "project",
    "",
    "users",
    "accounts",
    "triggers",
    "oauth-apps",
    "app-settings",
    "settings",
  ).map(({ name, path }) => ({
    name,
    // The external users of the shop are in production.
    path: ({ project }: Story) => `connect/${project}${path}?env=production`,
  })),
  ...tabs("settings", "", "keys", "sessions", "workspaces", "accounts", "data-stores", "usage").map(
    ({ name, path }) => ({ name, path: () => `settings${path}` }),
  ),
  { name: "workspace", path: ({ workspace }) => `settings/workspaces/${workspace}` },
  { name: "account-new", path: () => "settings/accounts/new?app=kite" },
  { name: "account", path: ({ account }) => `settings/accounts/${account}` },
  { name: "data-store", path: ({ shelves }) => `settings/data-stores/${shelves}?key=shelf-a` },
  { name: "parked-events", path: () => "parked-events" },
  ...tabs(
    "admin",
    "",
    "workspaces",
    "imports",
    "apps",
    "health",
    "dead-letters",
    "mailbox",
    "alerts",
    "agents",
  ).map(({ name, path }) => ({ name, path: () => `admin${path}` })),
  { name: "admin-agents-project", path: ({ project }) => `admin/agents?owner=${project}` },
  { name: "admin-import", path: ({ collection }) => `admin/imports/${collection}` },
  { name: "admin-failing-webhook", path: ({ bookkeeping }) => `admin/dead-letters/${bookkeeping}` },
  { name: "admin-user", path: ({ person }) => `admin/users/${person.id}` },
  { name: "admin-workspace", path: ({ workspace }) => `admin/workspaces/${workspace}` },
];

/** The tabs of a page, each with the end of its path; the first is that of the page itself. */
function tabs(page: string, ...names: string[]): { name: string; path: string }[] {
  return names.map((name) =>
    name === "" ? { name: page, path: "" } : { name: `${page}-${name}`, path: `/${name}` },
  );
}

/** Open a page, and wait until it shows its data. */
export async function show(page: Page, { path }: ConsolePage, story: Story): Promise<void> {
  await page.goto(`/console/${path(story)}`);
  await page.locator("main h1").first().waitFor();
  await settled(page);
}

/** Wait until a page neither loads nor animates anything. */
export async function settled(page: Page): Promise<void> {
  const loading = page.locator("main [aria-label$=': loading'], main [aria-label=Loading]");
  await loading.first().waitFor({ state: "detached" });
  // Streams of events stay open, so the network is never idle.
  await page.waitForTimeout(400);
}

/** Wait until the animations that a change of theme or size began have ended; two frames later, they have begun. */
export async function stilled(page: Page): Promise<void> {
  await page.evaluate(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
    .then(() => Promise.allSettled(document.getAnimations()
      .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity).map(({ finished }) => finished)))
    .then(() => undefined)`);
}
