import { execFile } from "node:child_process";
import { promisify } from "node:util";

import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";

import { newPerson, type Person, signIn } from "../../tools/browser/console.ts";
import { settled } from "../../tools/browser/pages.ts";
import { callAs } from "../../tools/browser/story/api.ts";
import { useStage, visit } from "../support/browser.ts";

const run = promisify(execFile);

const TICKING = `export default { name: "Ticking", version: "0.0.1",
  props: { timer: { type: "$.interface.timer", default: { intervalSeconds: 86400 } } }, run() {} };`;

const stage = useStage();
let person: Person;
/** The paths of pages that have nothing to show. */
let empty: string[];

beforeAll(async () => {
  person = await newPerson(stage());
  const call = callAs(person);
  const { id: source } = await call("POST", "/sources", { component_code: TICKING, active: false });
  const { id: webhook } = await call("POST", "/webhooks", { url: stage().target.url });
  const steps = [{ name: "one", component_code: "export default () => 1" }];
  const { id: workflow } = await call("POST", "/workflows", { name: "Flow", steps });
  const { id: store } = await call("POST", "/data_stores", { name: "Shelves" });
  const { id: project } = await call("POST", "/connect/projects", { name: "Shop" });
  const { id: workspace } = await callAs(stage().operator)("POST", "/workspaces", {
    orgname: "cellar",
    name: "Cellar",
    email: "cellar@plum.example",
  });
  empty = [
    "deploy/code",
    "parked-events",
    "settings/workspaces",
    "settings/accounts",
    "connect/clients",
    "connect/apps?q=unheard-of",
    "connect/usage",
    `sources/${source}`,
    `sources/${source}/logs`,
    `sources/${source}/errors`,
    `sources/${source}/state`,
    `webhooks/${webhook}`,
    `webhooks/${webhook}/subscriptions`,
    `workflows/${workflow}`,
    `workflows/${workflow}/events`,
    `settings/data-stores/${store}`,
    ...["users", "accounts", "triggers", "oauth-apps", "app-settings"].map(
      (tab) => `connect/${project}/${tab}`,
    ),
    "admin/imports",
    "admin/apps?q=unheard-of",
    "admin/mailbox",
    "admin/alerts",
    "admin/agents",
    "admin/dead-letters",
    `admin/workspaces/${workspace}`,
  ];
});

/** The commands of a page, which are loaded after it. */
async function commandsOn(page: Page, count = 1): Promise<string[]> {
  // Each command is loaded after its list.
  await page
    .locator("main pre")
    .nth(count - 1)
    .waitFor();
  return (await page.locator("main pre").allInnerTexts()).map((text) => text.trim());
}

/** Whether a command runs as it stands: it is a call of the API, and no part of it is an example. */
const isWhole = (command: string) =>
  command.startsWith("curl ") && !/…|example\.com|key-of-component/.test(command);

/** Run a command as a person with a terminal does. */
async function inShell(command: string): Promise<void> {
  const env = { ...process.env, KEY: person.apiKey, ADMIN_TOKEN: stage().platform.adminToken };
  await run("sh", ["-c", `${command} --silent --show-error --fail-with-body`], { env });
}

/** Somebody who sees every page. */
async function visitAll() {
  const visited = await visit(stage(), { api_key: person.apiKey });
  await signIn(visited.context, { admin_token: stage().platform.adminToken });
  return visited;
}

test("every page that has nothing to show names the next step as a command, and the commands run", async () => {
  const { page } = await visitAll();
  const commands: string[] = [];
  for (const path of empty) {
    // The streams of the page before are closed first: a browser has few connections for a host.
    await page.goto("about:blank");
    await page.goto(`/console/${path}`);
    await page.locator("main h1").first().waitFor();
    await settled(page);
    const found = await commandsOn(page);
    expect([path, found.length > 0]).toEqual([path, true]);
    commands.push(...found);
  }
  const whole = commands.filter(isWhole);
  expect(whole.length).toBeGreaterThan(8);
  for (const command of whole) await inShell(command);
});

test("who signed in by a link and has no API key reads how to make one and how to try it", async () => {
  const ada = await newPerson(stage());
  const operate = callAs(stage().operator);
  const { url } = await operate("POST", "/sign_in_links", { user_id: ada.id });
  const [key] = await operate("GET", `/users/${ada.id}/api_keys`);
  const { page, context } = await visit(stage());
  await page.goto(url);
  await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
  await operate("DELETE", `/api_keys/${key.id}`);
  await page.goto("/console/settings/keys");
  await page.getByText("No API keys").waitFor();
  expect(await commandsOn(page)).toEqual([
    `curl ${stage().origin}/v1/users/me -H "Authorization: Bearer $KEY"`,
  ]);
  await page.getByRole("button", { name: "New API key" }).last().click();
  await page.getByRole("dialog").getByRole("button", { name: "Create API key" }).click();
  const dialog = page.getByRole("dialog").filter({ hasText: "it is not shown again" });
  await dialog.waitFor();

  await signIn(context, { admin_token: stage().platform.adminToken });
  const eve = await newPerson(stage());
  const [only] = await operate("GET", `/users/${eve.id}/api_keys`);
  await operate("DELETE", `/api_keys/${only.id}`);
  await page.goto(`/console/admin/users/${eve.id}`);
  await page.getByText("The user has no key").waitFor();
  await page.getByText("The user has no sessions").waitFor();
  const commands = await commandsOn(page, 2);
  expect(commands).toHaveLength(2);
  for (const command of commands) await inShell(command);
  expect(await operate("GET", `/users/${eve.id}/api_keys`)).toHaveLength(1);
});

test.for([
  ["sources?q=none", "Show all sources"],
  ["webhooks?q=none", "Show all webhooks"],
  ["workflows?q=none", "Show all workflows"],
  ["connect?q=none", "Show all projects"],
] as const)(
  "a filter of /console/%s that nothing matches is taken away by a link",
  async ([path, name]) => {
    const { page } = await visitAll();
    await page.goto(`/console/${path}`);
    await page.locator("main").getByRole("link", { name }).click();
    await expect.poll(() => new URL(page.url()).search).toBe("");
  },
);
