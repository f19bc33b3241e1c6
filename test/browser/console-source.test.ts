import type { Page } from "playwright-core";
import { expect, test } from "vitest";

import { newPerson } from "../../tools/browser/console.ts";
import { callAs, post, until } from "../../tools/browser/story/api.ts";
import { type DeployedSource, endpointOf } from "../../tools/scripts/api.ts";
import { useStage, visit } from "../support/browser.ts";

const CODE = `const refuse = (order) => {
  throw new Error("Order " + order.id + " has no total");
};

export default {
  name: "Orders", version: "0.0.1", dedupe: "unique",
  props: { http: "$.interface.http", db: "$.service.db" },
  run({ body: order }) {
    console.log("order", order.id);
    this.db.set("last", order.id);
    if (order.total === 0) refuse(order);
    this.$emit(order, { id: order.id, summary: "Order " + order.id, name: order.kind ?? "" });
  },
};
`;

/** Declarations, of which nothing runs. */
const TYPES = `type Order = {
  id: number;
  total: number;
};
`;

const stage = useStage();

/** A user's source, and its page. */
async function opened(tab = "", code: object = { component_code: CODE }) {
  const person = await newPerson(stage());
  const source: DeployedSource = await callAs(person)("POST", "/sources", {
    ...code,
    name: "Orders",
  });
  const { page } = await visit(stage(), { api_key: person.apiKey });
  await page.goto(`/console/sources/${source.id}${tab}`);
  await page.getByRole("heading", { name: "Orders", level: 1 }).waitFor();
  return { page, call: callAs(person), id: source.id, endpoint: endpointOf(source) };
}

/** The names of the events in the list, newest first. */
const listed = (page: Page) => page.getByRole("link", { name: /^Order \d/ }).allInnerTexts();

test("the page shows events live, pauses, resumes, and filters by channel", async () => {
  const { page, endpoint } = await opened();
  await page.getByText("Live", { exact: true }).waitFor();
  await page.getByText("Waiting for the first event").waitFor();
  await post(endpoint, { id: 1, total: 5 });
  await expect.poll(() => listed(page)).toEqual(["Order 1"]);
  await page.getByRole("button", { name: "Pause the list" }).click();
  await post(endpoint, { id: 2, total: 5, kind: "refund" });
  await page.getByText("1 new one waiting").waitFor();
  expect(await listed(page)).toEqual(["Order 1"]);
  await page.getByRole("button", { name: "Resume the list" }).click();
  await expect.poll(() => listed(page)).toEqual(["Order 2", "Order 1"]);
  await page.getByLabel("Channel", { exact: true }).click();
  await page.getByRole("option", { name: "refund" }).click();
  await expect.poll(() => listed(page)).toEqual(["Order 2"]);
  expect(new URL(page.url()).searchParams.get("channel")).toBe("refund");
});

test("the page shows an event that is emitted before its stream begins", async () => {
  const { page, endpoint } = await opened("/logs");
  await page.route(/\/sse(?:\?|$)/, async (route) => {
    await post(endpoint, { id: 1, total: 5 });
    await route.continue();
  });
  await page.getByRole("link", { name: "Events" }).click();
  await expect.poll(() => listed(page)).toEqual(["Order 1"]);
});

test("the page shows an event as a tree with its own URL, and replays it", async () => {
  const { page, call, id, endpoint } = await opened();
  const { id: webhook } = await call("POST", "/webhooks", {
    url: `${stage().target.url}/events`,
    name: "Till",
  });
  await call("POST", "/subscriptions", { emitter_id: id, listener_id: webhook });
  await post(endpoint, { id: 7, total: 5, customer: { city: "Graz" } });
  await page.getByRole("link", { name: "Order 7" }).click();
  await page.getByText("Graz").waitFor();
  await page.reload();
  await page.getByText("Graz").waitFor();
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const copied = () => page.evaluate<string>("navigator.clipboard.readText()");
  await page.getByRole("button", { name: "Copy as JSON" }).click();
  await expect.poll(copied).toContain(`"city": "Graz"`);
  expect(JSON.parse(await copied())).toEqual({ id: 7, total: 5, customer: { city: "Graz" } });
  await page.getByRole("button", { name: "Copy the path event.customer.city" }).click();
  await expect.poll(copied).toBe("event.customer.city");
  await page.getByRole("button", { name: "Replay" }).click();
  const dialog = page.getByRole("alertdialog");
  await dialog.getByText("Till").waitFor();
  await dialog.getByRole("button", { name: "Replay" }).click();
  await dialog.waitFor({ state: "detached" });
  await expect.poll(() => listed(page)).toEqual(["Order 7", "Order 7"]);
  const arrived = () => stage().target.arrived.filter(({ path }) => path === "/events");
  await expect.poll(() => arrived().length).toBe(2);
  expect(new Set(arrived().map(({ headers }) => headers["webhook-id"])).size).toBe(2);
});

test("the page sends a test event, and shows its result", async () => {
  const { page } = await opened();
  await page.getByRole("button", { name: "Send a test event" }).click();
  const editor = page.getByRole("textbox", { name: "Event as JSON" });
  await editor.fill(`{"body": {"id": 3, "total": 0}`);
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByRole("alert").filter({ hasText: "Line 1" }).waitFor();
  await editor.fill(`{"body": {"id": 3, "total": 9}}`);
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText("1 event, 1 line of log").waitFor();
  await page.getByRole("button", { name: "Close", exact: true }).first().click();
  await expect.poll(() => listed(page)).toEqual(["Order 3"]);
});

test("an error links to its line in the code, and the page lists logs", async () => {
  // The lines of types are not in the code that runs: the stack is mapped.
  const { page, endpoint } = await opened("/errors", {
    component_code: `${TYPES}${CODE.replace("(order)", "(order: Order)")}`,
    language: "ts",
  });
  await page.getByText("No errors").waitFor();
  await post(endpoint, { id: 4, total: 0 });
  await page.getByRole("link", { name: "Order 4 has no total" }).click();
  await page.getByRole("link", { name: /:6/ }).first().click();
  await page.waitForURL("**/code?**");
  expect(new URL(page.url()).searchParams.get("line")).toBe("6");
  await page.locator(".cm-shown-line", { hasText: "has no total" }).waitFor();
  await page.getByRole("link", { name: "Logs" }).click();
  await page.getByText("order 4").first().waitFor();
});

test("the page shows the state, the versions and their difference, and restores a version", async () => {
  const { page, call, id, endpoint } = await opened();
  await post(endpoint, { id: 5, total: 5 });
  await page.getByRole("link", { name: "Order 5" }).waitFor();
  await call("PUT", `/sources/${id}`, { component_code: CODE.replace("0.0.1", "0.0.2") });
  await page.getByRole("link", { name: "State" }).click();
  await page.getByText("last").first().waitFor();
  await page.getByText("1 key").first().waitFor();
  await page.getByRole("link", { name: "Code", exact: true }).click();
  await page.getByLabel("Compare with").click();
  await page.getByRole("option", { name: "against version 1" }).click();
  const code = page.locator("main");
  await expect.poll(() => code.innerText()).toContain(`version: "0.0.2"`);
  await expect.poll(() => code.innerText()).toContain(`version: "0.0.1"`);
  await page.getByRole("button", { name: "Restore", exact: true }).click();
  const question = page.getByRole("alertdialog");
  await question.getByRole("button", { name: "Restore" }).click();
  await question.waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Version 3" }).waitFor();
  const versions = [
    { version: 3, is_current: true, component_version: "0.0.1" },
    { version: 2, is_current: false, component_version: "0.0.2" },
    { version: 1, is_current: false, component_version: "0.0.1" },
  ];
  expect(await call("GET", `/sources/${id}/versions`)).toMatchObject(versions);
});

test("a user subscribes a webhook on the picture of listeners, and ends the subscription", async () => {
  const { page, call, id, endpoint } = await opened("/listeners");
  const url = `${stage().target.url}/pictured`;
  const { id: webhook } = await call("POST", "/webhooks", { url, name: "Till" });
  const listeners = page.getByRole("region", { name: "Sends to" });
  await listeners.getByText("No listeners").waitFor();
  await page.getByRole("button", { name: "Subscribe", exact: true }).click();
  const dialog = page.getByRole("dialog").filter({ hasText: "Subscribe to “Orders”" });
  await dialog.getByRole("searchbox", { name: "Find a webhook" }).fill("til");
  await dialog.getByRole("radio", { name: "Till" }).check();
  await dialog.getByRole("textbox", { name: "Filter" }).fill("event.total > 5");
  await dialog.getByRole("button", { name: "Subscribe" }).click();
  await listeners.getByRole("link", { name: "Till" }).waitFor();
  await listeners.getByText("event.total > 5").waitFor();
  expect(await call("GET", `/sources/${id}/listeners`)).toMatchObject([{ id: webhook }]);
  for (const total of [1, 9]) await post(endpoint, { id: total, total });
  const arrived = () => stage().target.arrived.filter(({ path }) => path === "/pictured");
  await expect.poll(() => arrived().map(({ body }) => body)).toEqual([`{"id":9,"total":9}`]);

  await page.getByRole("button", { name: "Delete", exact: true }).click();
  const question = page.getByRole("alertdialog");
  await question.getByText("Till will receive nothing more").waitFor();
  await question.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "End the subscription with Till" }).click();
  await question.getByRole("button", { name: "End it" }).click();
  await listeners.getByText("No listeners").waitFor();
  expect(await call("GET", `/sources/${id}/listeners`)).toEqual([]);
});

test("a user pauses and resumes a source, and deletes it after a question that names its resources", async () => {
  // Without a request for the deleted source: one that is refused fails the test.
  const { page, call, id, endpoint } = await opened();
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  await page.getByRole("button", { name: "Resume", exact: true }).waitFor();
  expect(await call("GET", `/sources/${id}`)).toMatchObject({ active: false });
  await page.getByRole("button", { name: "Resume", exact: true }).click();
  await until(async () => (await call("GET", `/sources/${id}`)).active, "it was active");
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  const question = page.getByRole("alertdialog");
  await question.getByText(endpoint).waitFor();
  await question.getByRole("button", { name: "Delete the source" }).click();
  await page.waitForURL("**/console/sources");
  await expect(call("GET", `/sources/${id}`)).rejects.toThrow("404");
});
