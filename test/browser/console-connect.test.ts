import { expect, test } from "vitest";

import { newPerson } from "../../tools/browser/console.ts";
import { askAs } from "../../tools/browser/story/api.ts";
import { useStage, visit } from "../support/browser.ts";

const stage = useStage();

/** Somebody with a project of Connect. */
async function withProject() {
  const person = await newPerson(stage());
  const ask = askAs(person);
  const { id } = await ask("POST", "/connect/projects", { name: "Orchard" });
  const visited = await visit(stage(), { api_key: person.apiKey });
  return { ...visited, ask, project: String(id), at: `/console/connect/${id}` };
}

test("a project's owner pauses, activates and deletes a trigger of an external user", async () => {
  const { page, ask, project, at } = await withProject();
  const code = `export default { key: "orchard-picked", name: "Picked", version: "0.0.1", type: "source",
    props: { http: "$.interface.http" }, run() {} };`;
  await askAs(stage().operator)("POST", "/registry", { component_code: code });
  const body = { id: "orchard-picked", external_user_id: "ada", configured_props: {} };
  await ask("POST", `/connect/${project}/triggers/deploy`, body);
  const triggers = () => ask("GET", `/connect/${project}/deployed-triggers?external_user_id=ada`);
  await page.goto(`${at}/triggers?env=production`);
  await page.getByRole("button", { name: /^Pause / }).click();
  await page.getByRole("button", { name: /^Activate / }).waitFor();
  expect(await triggers()).toMatchObject([{ active: false }]);
  await page.getByRole("button", { name: /^Activate / }).click();
  await page.getByRole("button", { name: /^Pause / }).waitFor();
  await page.getByRole("button", { name: /^Delete / }).click();
  await page
    .getByRole("alertdialog")
    .getByRole("button", { name: /^Delete/ })
    .click();
  await expect.poll(triggers).toEqual([]);
});

test("a project's owner renames it, and deletes it once its name was typed", async () => {
  const { page, ask, at } = await withProject();
  await page.goto(`${at}/settings`);
  await page.getByLabel("Name", { exact: true }).fill("Grove");
  await page.getByRole("button", { name: "Save" }).first().click();
  await page.getByRole("heading", { name: "Grove", level: 1 }).waitFor();
  await page.getByRole("button", { name: "Delete project" }).click();
  const question = page.getByRole("alertdialog");
  await question.getByRole("textbox").fill("Grove");
  await question.getByRole("button", { name: "Delete project" }).click();
  await page.getByText("No projects yet").waitFor();
  expect(await ask("GET", "/connect/projects")).toEqual([]);
});
