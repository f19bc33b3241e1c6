import type { Page } from "playwright-core";
import { expect, test } from "vitest";

import { newPerson } from "../../tools/browser/console.ts";
import { subscribeAgents } from "../../tools/browser/story/agents.ts";
import { callAs, post } from "../../tools/browser/story/api.ts";
import { HEARTBEAT } from "../../tools/browser/story/components.ts";
import { deploy, endpointOf } from "../../tools/scripts/api.ts";
import { listen } from "../../tools/scripts/listen.ts";
import { archiveOf } from "../support/archive.ts";
import { useStage, visit } from "../support/browser.ts";

const HTTP = `props: { http: "$.interface.http" }`;

const stage = useStage();

const dialogOf = (page: Page) => page.locator('[role="dialog"]:not([aria-modal="false"])');

/** The pages of operators. */
async function visitAsOperator(path: string): Promise<Page> {
  const { page } = await visit(stage(), { admin_token: stage().platform.adminToken });
  await page.goto(`/console/admin${path}`);
  return page;
}

test("an operator sets a quota, and removes it with 0", async () => {
  const ada = await newPerson(stage());
  const code = `export default { name: "Orders", version: "0.0.1", ${HTTP}, run({ body }) { this.$emit(body) } };`;
  const endpoint = endpointOf(await deploy(ada, code));
  const statusOf = async () => (await fetch(endpoint, { method: "POST", body: "{}" })).status;
  const page = await visitAsOperator(`/users/${ada.id}`);
  const quota = page.getByLabel("Invocations a day");
  await quota.fill("1");
  await page.getByRole("button", { name: "Save quotas" }).click();
  await page.getByText("Quotas saved").waitFor();
  await expect.poll(statusOf, { interval: 500 }).toBe(429);
  await page.reload();
  await expect.poll(() => quota.inputValue()).toBe("1");
  await quota.fill("0");
  await page.getByRole("button", { name: "Save quotas" }).click();
  await page.getByText("Quotas saved").waitFor();
  await expect.poll(statusOf, { interval: 500 }).toBe(200);
});

test("an operator imports an archive by its URL, and lists its components by state", async () => {
  const archive = await archiveOf({
    "orchard/package.json": `{"name": "orchard", "license": "MIT"}`,
    "orchard/components/orchard/sources/picked/picked.mjs": `export default {
      key: "orchard-picked", name: "Picked", version: "1.0.0", type: "source", ${HTTP}, run() {} };`,
    "orchard/components/orchard/sources/lost/lost.mjs": `import gone from "./gone.mjs";
      export default { key: "orchard-lost", name: gone, version: "1.0.0", run() {} };`,
  });
  const { url, close } = await listen((_request, response) => void response.end(archive));
  try {
    const page = await visitAsOperator("/imports");
    await page.getByText("No imports yet").waitFor();
    await page.getByRole("button", { name: "New import" }).first().click();
    await dialogOf(page).getByLabel("URL of the archive").fill(`${url}/orchard.tar.gz`);
    await dialogOf(page).getByRole("button", { name: "Import" }).click();
    await page.getByRole("heading", { name: /^Import / }).waitFor();
    await page.getByText("ended").waitFor();
    await page.getByRole("link", { name: "failed 1" }).click();
    await page.getByText(/There is no file ".\/gone.mjs"/).waitFor();
    await expect.poll(() => page.getByText("orchard-picked").count()).toBe(0);
    await page.getByRole("link", { name: "published 1" }).click();
    await page.getByText("orchard-picked").waitFor();
    await expect.poll(() => page.getByText(/There is no file/).count()).toBe(0);
  } finally {
    close();
  }
});

test("the mailbox shows mails of workflows as text, and filters them by owner", async () => {
  const [ada, eve] = [await newPerson(stage()), await newPerson(stage())];
  for (const person of [ada, eve]) {
    const component_code = `export default { name: "Mail", version: "0.0.1", type: "action", run({ $ }) {
      $.send.email({ subject: "For ${person.username}", text: "It is picked", html: "<b>It is picked</b>" }); } };`;
    const workflow = { name: "Mails", trigger: { type: "http" } };
    const steps = [{ name: "mail", component_code }];
    const { trigger } = await callAs(person)("POST", "/workflows", { ...workflow, steps });
    await post(trigger.endpoint_url, {});
  }
  const mails = () => callAs(stage().operator)("GET", "/mailbox");
  await expect.poll(async () => (await mails()).length).toBe(2);
  const page = await visitAsOperator("/mailbox");
  await page.getByText(`For ${eve.username}`).waitFor();
  await page.getByLabel("Owner").fill(ada.id);
  await page.getByText(`For ${eve.username}`).waitFor({ state: "detached" });
  await page.getByText(`For ${ada.username}`).click();
  await page.getByText("<b>It is picked</b>").waitFor();
  expect(await page.locator("main b").count()).toBe(0);
  // The workflow is its owner's: operators are led to the owner.
  await page.getByRole("link", { name: ada.id }).click();
  await page.getByRole("heading", { name: ada.username }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/console/admin/users/${ada.id}`);
});

test("an operator creates a workspace, and adds and removes a member", async () => {
  const ada = await newPerson(stage());
  const page = await visitAsOperator("/workspaces");
  await page.getByRole("button", { name: "New workspace" }).first().click();
  await dialogOf(page).getByLabel("Name", { exact: true }).fill("Pickers");
  await dialogOf(page).getByLabel("Short name").fill("pickers");
  await dialogOf(page).getByLabel("E-mail").fill("pickers@plum.example");
  await dialogOf(page).getByRole("button", { name: "Create workspace" }).click();
  await page.getByRole("heading", { name: "Pickers" }).waitFor();
  await page.getByRole("button", { name: "Add a member" }).first().click();
  await dialogOf(page).getByLabel("Id of the user").fill(ada.id);
  await dialogOf(page).getByRole("button", { name: "Add" }).click();
  await page.getByRole("cell", { name: ada.username, exact: true }).waitFor();
  const workspaces = () => callAs(ada)("GET", "/workspaces");
  expect(await workspaces()).toMatchObject([{ orgname: "pickers" }]);
  await page.getByRole("button", { name: `Remove ${ada.username}` }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
  await page.getByText("No members yet").waitFor();
  expect(await workspaces()).toEqual([]);
});

test("an operator lists the subscriptions of agents, and filters them by owner", async () => {
  const [ada, eve] = [await newPerson(stage()), await newPerson(stage())];
  await callAs(stage().operator)("POST", "/registry", { component_code: HEARTBEAT });
  for (const person of [ada, eve]) {
    const code = `export default { name: "Orders", version: "0.0.1", ${HTTP}, run({ body }) { this.$emit(body) } };`;
    const { id: source } = await deploy(person, code);
    const { id: project } = await callAs(person)("POST", "/connect/projects", { name: "Orchard" });
    await subscribeAgents(stage(), person, { project, source });
  }
  const page = await visitAsOperator("/agents");
  const row = (owner: string) => page.getByRole("row").filter({ hasText: owner });
  await row(eve.id).waitFor();
  await row("plum-heartbeat").first().waitFor();
  await page.getByLabel("Owner or project").fill(ada.id);
  await row(eve.id).waitFor({ state: "detached" });
  await row(ada.id).getByText(new URL(stage().target.url).host).waitFor();
  await row(ada.id).getByText("active").waitFor();
  expect(await row(ada.id).count()).toBe(1);
  await row(ada.id).getByRole("link", { name: ada.id }).click();
  await page.getByRole("heading", { name: ada.username }).waitFor();
});

test("an operator sets the quotas of a project's agents, and restores the default", async () => {
  const ada = await newPerson(stage());
  const { id } = await callAs(ada)("POST", "/connect/projects", { name: "Orchard" });
  const quotas = () => callAs(ada)("GET", `/connect/projects/${id}/agent_quotas`);
  const page = await visitAsOperator(`/agents?owner=${id}`);
  const section = page.getByRole("region", { name: "Quotas of the project" });
  const field = section.getByLabel("Subscriptions");
  await section.getByText("0 of 1000 in use").first().waitFor();
  await field.fill("5");
  await section.getByRole("button", { name: "Save quotas" }).click();
  await section.getByText("0 of 5 in use").waitFor();
  expect(await quotas()).toMatchObject({ subscriptions_quota: 5, runs_quota: null });
  await page.reload();
  await expect.poll(() => field.inputValue()).toBe("5");
  await field.fill("");
  await section.getByRole("button", { name: "Save quotas" }).click();
  await section.getByText("0 of 5 in use").waitFor({ state: "detached" });
  expect(await quotas()).toMatchObject({ subscriptions_quota: null });
});

test("the health page names each binding of the platform, and its state", async () => {
  const page = await visitAsOperator("/health");
  await page.getByText("Everything works.").waitFor();
  const { checks }: { checks: Record<string, string> } = await (
    await fetch(`${stage().origin}/health`)
  ).json();
  const shown = page.getByRole("region", { name: "Health of every binding" }).locator("li");
  expect(await shown.count()).toBe(Object.keys(checks).length);
  for (const name of Object.keys(checks)) await shown.filter({ hasText: name }).first().waitFor();
});

test("an operator finds an app, and drops what is stored with its client", async () => {
  const operate = callAs(stage().operator);
  const client = { app: "github", client_id: "id", client_secret: "secret" };
  await operate("POST", "/oauth_apps", {
    ...client,
    token_url: "https://old.example.com/token",
    client_authentication: "basic",
  });
  const page = await visitAsOperator("/apps?q=github");
  const row = page.getByRole("row").filter({ hasText: "GitHub" });
  await row.getByText("ready").waitFor();
  await row.getByText("oauth.refresh_url").waitFor();
  await row.getByRole("button", { name: /^Use the app's settings/ }).click();
  const question = page.getByRole("alertdialog");
  await question.getByRole("button", { name: "Use the app's settings" }).click();
  await row.getByText("oauth.refresh_url").waitFor({ state: "detached" });
  expect(await operate("GET", "/oauth_apps/github")).toMatchObject({ overrides: [] });
  await operate("DELETE", "/oauth_apps/github");
});
