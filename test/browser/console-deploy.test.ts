import type { Locator, Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";

import { newPerson } from "../../tools/browser/console.ts";
import { callAs } from "../../tools/browser/story/api.ts";
import { useStage, visit } from "../support/browser.ts";

/** A component with a prop of each kind that a form has a control for. */
const CODE = `export default {
  key: "orchard-harvest", name: "Harvest of an orchard", version: "0.0.1", type: "source",
  props: {
    timer: { type: "$.interface.timer", label: "Pace" },
    token: { type: "string", label: "Token", secret: true },
    tags: { type: "string[]", label: "Tags" },
    limit: { type: "integer", label: "Limit", min: 2 },
    tree: {
      type: "string", label: "Tree", useQuery: true,
      options({ page, query }) {
        const trees = Array.from({ length: 25 }, (_, index) => "tree " + index);
        return trees
          .filter((tree) => tree.includes(query ?? ""))
          .slice(page * 10, page * 10 + 10)
          .map((tree) => ({ label: tree, value: tree.replace(" ", "-") }));
      },
    },
    species: { type: "string", label: "Species", options: ["apple", "pear"], reloadProps: true },
  },
  additionalProps() {
    return this.species === "pear" ? { ripe: { type: "boolean", label: "Ripe pears" } } : {};
  },
  run() { this.$emit({ tags: this.tags }); },
};
`;

const stage = useStage();

beforeAll(() => callAs(stage().operator)("POST", "/registry", { component_code: CODE }));

async function choose(page: Page, field: Locator, name: string): Promise<void> {
  await field.click();
  await page.getByRole("option", { name, exact: true }).click();
}

async function fillIn(page: Page): Promise<void> {
  await page.getByText("Cron expression", { exact: true }).click();
  await page.getByRole("textbox", { name: "Cron expression" }).fill("0 9 * * 1-5");
  await page.getByText(/^Next ticks \(UTC\): .*9:00.* · .*9:00/).waitFor();
  const token = page.getByLabel("Token");
  expect(await token.getAttribute("type")).toBe("password");
  await token.fill("hush");
  await page.getByRole("button", { name: "Add a value" }).click();
  await page.getByLabel("Tags, value 1").fill("red");
  await page.getByLabel("Tags, value 1").press("Enter");
  await page.getByLabel("Tags, value 2").fill("sweet");
  await page.getByLabel("Limit").fill("1");
}

/** The choices of a tree come in pages, and the component searches them. */
async function chooseTree(page: Page): Promise<void> {
  await page.getByRole("combobox", { name: "Tree" }).click();
  const option = (name: string) => page.getByRole("option", { name, exact: true });
  await option("tree 9").waitFor();
  expect(await option("tree 15").count()).toBe(0);
  await option("More…").click();
  await option("tree 15").waitFor();
  await page.getByPlaceholder("Search").fill("24");
  await option("tree 15").waitFor({ state: "detached" });
  await option("tree 24").click();
}

test("a user finds a component by typing its name, configures it in its form, and deploys it", async () => {
  const ada = await newPerson(stage());
  const { page } = await visit(stage(), { api_key: ada.apiKey });
  await page.goto("/console/deploy");
  await page.getByLabel("Find a component").pressSequentially("harvest orch");
  await page.getByRole("link", { name: "Harvest of an orchard" }).click();
  await fillIn(page);
  await chooseTree(page);
  const ripe = page.getByRole("switch", { name: "Ripe pears" });
  expect(await ripe.count()).toBe(0);
  await choose(page, page.getByRole("combobox", { name: "Species" }), "pear");
  await ripe.click();

  const deploy = page.getByRole("button", { name: "Deploy", exact: true });
  await deploy.click();
  await page.getByText("Limit must be at least 2").waitFor();
  await page.getByLabel("Limit").fill("3");
  await deploy.click();
  await page.waitForURL(/\/sources\/dc_\w+$/);
  const id = new URL(page.url()).pathname.split("/").at(-1);
  const { configured_props: props } = await callAs(ada)("GET", `/sources/${id}`);
  expect(props).toMatchObject({
    tags: ["red", "sweet"],
    limit: 3,
    tree: "tree-24",
    species: "pear",
    ripe: true,
  });
  expect(JSON.stringify(props)).not.toContain("hush");
});

test("the deploy form and the configuration set shards, and show the API's rule", async () => {
  const ada = await newPerson(stage());
  const call = callAs(ada);
  const http = (more: string) => `export default { name: "Hot", version: "0.0.1", ${more}
    props: { http: "$.interface.http" }, run({ body }) { this.$emit(body, { id: body.id }); } };`;
  const { id: deduped } = await call("POST", "/components", {
    component_code: http(`dedupe: "unique",`),
  });
  const { page, expectFault } = await visit(stage(), { api_key: ada.apiKey });
  expectFault(/status of 400/);
  await page.goto(`/console/deploy/component/${deduped}`);
  const shards = page.getByLabel("Shards");
  await shards.fill("4");
  await page.getByRole("button", { name: "Deploy", exact: true }).click();
  await page.getByText(/^must be 1 for a component with dedupe/).waitFor();
  expect(await call("GET", "/users/me/sources")).toEqual([]);

  const { id: plain } = await call("POST", "/components", { component_code: http("") });
  await page.goto(`/console/deploy/component/${plain}`);
  await shards.fill("4");
  await page.getByRole("button", { name: "Deploy", exact: true }).click();
  await page.waitForURL(/\/sources\/dc_\w+$/);
  const id = new URL(page.url()).pathname.split("/").at(-1);
  const stored = async () => (await call("GET", `/sources/${id}`)).shards;
  expect(await stored()).toBe(4);

  await page.getByRole("link", { name: "Configuration" }).click();
  await expect.poll(() => shards.inputValue()).toBe("4");
  await shards.fill("17");
  await page.getByRole("button", { name: "Change shards" }).click();
  await page.getByText("must be a whole number from 1 to 16", { exact: true }).waitFor();
  await shards.fill("2");
  await page.getByRole("button", { name: "Change shards" }).click();
  await expect.poll(stored).toBe(2);
  await page.getByText("2 objects take its events").waitFor();
});
