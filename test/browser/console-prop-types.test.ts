import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";

import { newPerson } from "../../tools/browser/console.ts";
import { callAs } from "../../tools/browser/story/api.ts";
import { useStage, visit } from "../support/browser.ts";

/** A component without an endpoint, with a prop of each type whose value is no plain text. */
const CODE = `export default {
  key: "orchard-reports", name: "Reports of an orchard", version: "0.0.1", type: "source",
  props: {
    timer: { type: "$.interface.timer", label: "Pace", default: { intervalSeconds: 900 } },
    request: { type: "http_request", label: "Request" },
    rows: { type: "sql", label: "Rows" },
    shelf: { type: "data_store", label: "Shelf" },
    filter: { type: "object", label: "Filter" },
    crates: { type: "object[]", label: "Crates" },
    sizes: { type: "integer[]", label: "Sizes", optional: true },
    mixed: { type: "any[]", label: "Mixed", optional: true },
  },
  async run() {
    await this.shelf.set("seen", true);
    const { rows, filter, crates, sizes, mixed } = this;
    this.$emit({ rows, filter, crates, sizes, mixed });
  },
};
`;

const stage = useStage();

beforeAll(() => callAs(stage().operator)("POST", "/registry", { component_code: CODE }));

/** Open the form of the component as somebody new. */
async function openForm() {
  const person = await newPerson(stage());
  const visited = await visit(stage(), { api_key: person.apiKey });
  await visited.page.goto("/console/deploy/component/orchard-reports");
  await visited.page.getByRole("group", { name: "Request" }).waitFor();
  const deploy = () => visited.page.getByRole("button", { name: "Deploy", exact: true }).click();
  return { ...visited, call: callAs(person), deploy };
}

async function choose(page: Page, field: string, name: string): Promise<void> {
  await page.getByRole("combobox", { name: field }).click();
  await page.getByRole("option", { name, exact: true }).click();
}

const requestOn = (page: Page) => page.getByRole("group", { name: "Request" });
const rowsOn = (page: Page) => page.getByRole("group", { name: "Rows" });

async function fillRequest(page: Page): Promise<void> {
  const request = requestOn(page);
  await choose(page, "Method", "POST");
  await request.getByLabel("URL").fill("https://api.example.com/orders");
  await choose(page, "Authentication", "Bearer token");
  await request.getByLabel("Token").fill("hush");
  await request.getByRole("button", { name: "Add a header" }).click();
  await request.getByLabel("Header 1, name").fill("accept");
  await request.getByLabel("Header 1, value").fill("text/csv");
  await request.getByRole("button", { name: "Add a parameter" }).click();
  await request.getByRole("button", { name: "Add a parameter" }).click();
  await request.getByLabel("Parameter 1, name").fill("dropped");
  await request.getByLabel("Parameter 2, name").fill("page");
  await request.getByLabel("Parameter 2, value").fill("2");
  await request.getByRole("button", { name: "Remove parameter 1" }).click();
  await request.getByLabel("Body").fill(`{"since": 1}`);
}

async function fillTheRest(page: Page): Promise<void> {
  await rowsOn(page).getByLabel("Rows, query").fill("SELECT * FROM crates WHERE size > $1");
  await rowsOn(page).getByLabel("Parameters").fill("[42]");
  await page.getByRole("button", { name: "New data store" }).click();
  await page.getByLabel("Name of the new data store").fill("Shelf of reports");
  await page.getByLabel("Name of the new data store").press("Enter");
  await page.getByText("Data store Shelf of reports created").waitFor();
  await page.getByLabel("Filter").fill(`{"ripe": true}`);
  await page.getByLabel("Crates").fill(`[{"tree": "pear"}, {"tree": "apple"}]`);
}

test("requests, queries, data stores, objects and lists of them are filled in, deployed and read by a run", async () => {
  const { page, call, deploy } = await openForm();
  await fillRequest(page);
  await fillTheRest(page);
  await page.getByRole("button", { name: "Sizes" }).click();
  const sizes = page.getByRole("group", { name: "Sizes" });
  await sizes.getByRole("button", { name: "Add a value" }).click();
  await page.getByLabel("Sizes, value 1").fill("3");
  await page.getByRole("button", { name: "Mixed" }).click();
  await page.getByRole("textbox", { name: "Mixed" }).fill(`["a", 1]`);
  await deploy();
  await page.waitForURL(/\/sources\/dc_\w+$/);
  const id = new URL(page.url()).pathname.split("/").at(-1);
  const { configured_props: props } = await call("GET", `/sources/${id}`);
  const [store] = await call("GET", "/users/me/data_stores");
  expect(props).toMatchObject({
    request: {
      method: "POST",
      url: "https://api.example.com/orders",
      auth: { type: "bearer", token: "hush" },
      headers: [{ name: "accept", value: "text/csv" }],
      params: [{ name: "page", value: "2" }],
      body: `{"since": 1}`,
    },
    rows: { query: "SELECT * FROM crates WHERE size > $1", params: [42] },
    shelf: store.id,
    filter: { ripe: true },
    crates: [{ tree: "pear" }, { tree: "apple" }],
    sizes: [3],
    mixed: ["a", 1],
  });
  const run = await call("POST", `/sources/${id}/run`, { wait: 20 });
  expect(run).toMatchObject({
    state: "finished",
    events: [
      {
        event: {
          rows: { query: "SELECT * FROM crates WHERE size > $1", params: [42] },
          filter: { ripe: true },
          crates: [{ tree: "pear" }, { tree: "apple" }],
          sizes: [3],
          mixed: ["a", 1],
        },
      },
    ],
  });
  expect((await call("GET", `/data_stores/${store.id}/records/seen`)).value).toBe(true);

  // The values are edited in the same fields.
  await page.goto(`/console/sources/${id}/configuration?edit=props`);
  const request = requestOn(page);
  await request.getByLabel("URL").waitFor();
  expect(await request.getByLabel("URL").inputValue()).toBe("https://api.example.com/orders");
  expect(await rowsOn(page).getByLabel("Parameters").inputValue()).toBe("[42]");
  expect(JSON.parse(await page.getByLabel("Crates").inputValue())).toHaveLength(2);
  await request.getByLabel("URL").fill("https://api.example.com/crates");
  await page.getByRole("button", { name: "Save" }).last().click();
  await page.getByText("The configuration was saved").waitFor();
  const changed = await call("GET", `/sources/${id}`);
  expect(changed.configured_props).toMatchObject({
    request: { method: "POST", url: "https://api.example.com/crates" },
    shelf: store.id,
  });
});

test("each field names the rule that its value breaks, and the first of them has the focus", async () => {
  const { page, deploy, expectFault } = await openForm();
  await deploy();
  for (const field of ["Request", "Rows", "Shelf", "Filter", "Crates"])
    await page.getByText(`${field} is required`).waitFor();
  await requestOn(page).getByLabel("URL").fill("ftp://files.example.com");
  await page.getByText("Request its URL must begin with https://").waitFor();
  await rowsOn(page).getByLabel("Rows, query").fill("SELECT 1");
  await rowsOn(page).getByLabel("Parameters").fill("[42");
  await page.getByText("Rows needs its parameters as a list in JSON, such as [42]").waitFor();
  await page.getByLabel("Filter").fill("[1]");
  await page.getByText("Filter must be a JSON object").waitFor();
  await page.getByLabel("Crates").fill(`[{"tree": "pear"}, 7]`);
  await page.getByText("Crates its value 2 must be a JSON object").waitFor();
  await deploy();
  await expect.poll(() => requestOn(page).locator(":focus").count()).toBe(1);
  expect(new URL(page.url()).pathname).toBe("/console/deploy/component/orchard-reports");

  await fillTheRest(page);
  await requestOn(page).getByLabel("URL").fill("https://api.example.com");
  await choose(page, "Authentication", "Basic");
  // The platform knows more rules than the form, and its sentence is shown at the field.
  expectFault(/status of 400/);
  await deploy();
  await requestOn(page)
    .getByText(/auth\.username is required/)
    .waitFor();
  await requestOn(page).getByLabel("User name").fill("ada");
  await requestOn(page).getByLabel("Password").fill("hush");
  await deploy();
  await page.waitForURL(/\/sources\/dc_\w+$/);
});
