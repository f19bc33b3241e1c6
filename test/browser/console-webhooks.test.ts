import type { Page } from "playwright-core";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";

import { newPerson, type Person } from "../../tools/browser/console.ts";
import { callAs, post } from "../../tools/browser/story/api.ts";
import type { Arrived } from "../../tools/browser/target.ts";
import { deploy, endpointOf } from "../../tools/scripts/api.ts";
import { useStage, visit } from "../support/browser.ts";

const CODE = `export default { name: "Orders", version: "0.0.1", props: { http: "$.interface.http" },
  run({ body }) { this.$emit(body, { summary: body.id }); } };`;

const stage = useStage();

/** A user with a source, a webhook for this path, and a subscription between them. */
async function subscribed(path: string) {
  const person = await newPerson(stage());
  const call = callAs(person);
  const source = await deploy(person, CODE);
  const url = `${stage().target.url}${path}`;
  const { id } = await call("POST", "/webhooks", { url, name: "Warehouse" });
  await call("POST", "/subscriptions", { emitter_id: source.id, listener_id: id });
  return { person, call, endpoint: endpointOf(source), webhook: String(id) };
}

async function open(person: Person, path: string): Promise<Page> {
  const { page } = await visit(stage(), { api_key: person.apiKey });
  await page.goto(`/console/${path}`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  return page;
}

const arrivedAt = (path: string) =>
  stage().target.arrived.filter((request) => request.path === path);

test("a user creates a webhook, sees its secret once, and subscribes it to a source", async () => {
  const person = await newPerson(stage());
  const source = await deploy(person, CODE);
  const page = await open(person, "webhooks");
  await page.getByText("No webhooks yet").waitFor();
  await page.getByRole("button", { name: "New webhook" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("URL").fill("no url");
  await dialog.getByLabel("Name").fill("Warehouse");
  await dialog.getByRole("button", { name: "Create webhook" }).click();
  expect(await dialog.locator(":invalid").count()).toBeGreaterThan(0);
  await dialog.getByLabel("URL").fill(`${stage().target.url}/created`);
  await dialog.getByRole("button", { name: "Create webhook" }).click();
  await dialog.getByText(/^whsec_/).waitFor();
  await dialog.getByRole("link", { name: "Subscribe it to a source" }).click();
  await page.getByRole("heading", { name: "Warehouse", level: 1 }).waitFor();
  await page.getByText("No subscriptions yet").waitFor();
  expect(await page.locator("body").innerText()).not.toContain("whsec_");

  await page.getByRole("button", { name: "Subscribe" }).first().click();
  await page.getByRole("combobox", { name: "Source or workflow" }).fill("orde");
  await page.getByRole("option", { name: /orders/i }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Subscribe" }).click();
  await page.getByRole("link", { name: "Orders" }).waitFor();
  await post(endpointOf(source), { id: "order-1" });
  await expect
    .poll(() => arrivedAt("/created").map(({ body }) => body))
    .toEqual([`{"id":"order-1"}`]);
});

test("a failed delivery shows request and response, and a retry reaches the repaired receiver", async () => {
  const { person, call, endpoint, webhook } = await subscribed("/broken/one");
  await post(endpoint, { id: "order-2" });
  const deliveries = () => call("GET", `/webhooks/${webhook}/deliveries`);
  await expect.poll(deliveries).toMatchObject([{ state: "failed" }]);
  const page = await open(person, `webhooks/${webhook}`);
  const [{ id }] = await deliveries();
  const row = page.getByRole("row").filter({ hasText: id });
  await row.getByText(/^\d[\d.,]* m?s$/).waitFor();
  await page.getByRole("link", { name: id }).click();
  await page.getByText("HTTP 503").first().waitFor();
  await page.getByText("Down for maintenance").filter({ visible: true }).first().waitFor();
  await page.getByText("order-2").filter({ visible: true }).first().waitFor();
  expect(await page.locator("main").innerText()).not.toContain("webhook-signature");
  stage().target.mend();
  await page.getByRole("button", { name: "Send again" }).click();
  await expect.poll(deliveries).toMatchObject([{ state: "delivered" }]);
  await page.getByText("HTTP 200").first().waitFor();
});

test("the page replays a time range after showing its number of deliveries", async () => {
  const { person, call, endpoint, webhook } = await subscribed("/replayed");
  for (const id of ["a", "b", "c"]) await post(endpoint, { id });
  await expect.poll(() => arrivedAt("/replayed").length).toBe(3);
  // One that is in flight is not replayed.
  const delivered = { state: "delivered" };
  await expect
    .poll(() => call("GET", `/webhooks/${webhook}/deliveries`))
    .toMatchObject([delivered, delivered, delivered]);
  const page = await open(person, `webhooks/${webhook}`);
  await page.getByRole("button", { name: "Replay a time span" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Count first" }).click();
  await dialog.getByText("3 deliveries would be sent again").waitFor();
  expect(arrivedAt("/replayed")).toHaveLength(3);
  await dialog.getByRole("button", { name: "Send 3 deliveries" }).click();
  await expect.poll(() => arrivedAt("/replayed").length).toBe(6);
  const ids = arrivedAt("/replayed").map(({ headers }) => headers["webhook-id"]);
  expect(new Set(ids).size).toBe(3);
});

test("the page names the library and the headers that verify a delivery, and the source of it", async () => {
  const { person, call, endpoint, webhook } = await subscribed("/verified");
  const { signing_secret: secret } = await call("POST", `/webhooks/${webhook}/rotate_secret`);
  await post(endpoint, { id: "order-9" });
  await expect.poll(() => arrivedAt("/verified").length).toBe(1);
  const [{ headers, body }] = arrivedAt("/verified") as [Arrived];
  const page = await open(person, `webhooks/${webhook}/verify`);
  await page.getByText("npm install standardwebhooks").waitFor();
  const names = await page
    .getByRole("region", { name: "Headers of a delivery" })
    .locator("dt")
    .allInnerTexts();
  const signed = Object.fromEntries(names.map((name) => [name, String(headers[name])]));
  expect(new Webhook(secret).verify(body, signed)).toEqual({ id: "order-9" });

  await page.getByRole("link", { name: "Deliveries" }).click();
  const row = page.getByRole("row").filter({ hasText: "delivered" });
  await row.getByRole("link", { name: "Orders" }).waitFor();
  await row.getByRole("link", { name: /^dlv_/ }).click();
  await page.getByRole("link", { name: "Open it" }).click();
  await page.getByRole("heading", { name: "Orders", level: 1 }).waitFor();
  await page.getByText("Event id").waitFor();
});

test("a user rotates a secret, deactivates and activates a webhook, and deletes it only after a confirmation", async () => {
  const { person, call, webhook } = await subscribed("/kept");
  const page = await open(person, `webhooks/${webhook}/settings`);
  await page.getByRole("button", { name: "Rotate secret" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Rotate", exact: true }).click();
  await dialog.getByText(/^whsec_/).waitFor();
  await dialog.getByRole("button", { name: "Done" }).click();

  await page.getByRole("button", { name: "Deactivate" }).click();
  await page.getByText("This webhook is inactive").waitFor();
  expect(await call("GET", `/webhooks/${webhook}`)).toMatchObject({ active: false });
  await page.getByRole("button", { name: "Activate" }).first().click();
  await page.getByText("This webhook is inactive").waitFor({ state: "detached" });

  const trigger = page.getByRole("button", { name: "Delete webhook" });
  await trigger.click();
  const question = page.getByRole("alertdialog");
  await question.getByText("subscriptions are to events of Orders").waitFor();
  await page.keyboard.press("Escape");
  await question.waitFor({ state: "detached" });
  await expect.poll(() => page.locator("button:focus").innerText()).toBe("Delete webhook");
  await trigger.click();
  await question.getByRole("button", { name: "Delete webhook" }).click();
  await page.waitForURL("**/console/webhooks");
  await expect(call("GET", `/webhooks/${webhook}`)).rejects.toThrow("404");
});
