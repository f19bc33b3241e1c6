import { expect, test } from "vitest";

import { newPerson, signIn } from "../../tools/browser/console.ts";
import { callAs, post } from "../../tools/browser/story/api.ts";
import { deploy, endpointOf } from "../../tools/scripts/api.ts";
import { useStage, visit } from "../support/browser.ts";

const FAILS = `export default { name: "Parcels", version: "0.0.1", props: { http: "$.interface.http" },
  run() { throw new Error("No carrier"); } };`;
const EMITS = `export default { name: "Orders", version: "0.0.1", props: { http: "$.interface.http" },
  run({ body }) { this.$emit(body); } };`;

/** An alert opens after this many failed runs in a row. */
const FAILURES = 10;

const stage = useStage();

const visitAsOperator = async (path: string) => {
  const { page } = await visit(stage(), { admin_token: stage().platform.adminToken });
  await page.goto(`/console/admin${path}`);
  return page;
};

test("the home page names a failing source and leads to its errors, and operators list its alert", async () => {
  const ada = await newPerson(stage());
  const source = await deploy(ada, FAILS);
  for (let sent = 0; sent < FAILURES; sent += 1) await post(endpointOf(source), {});
  const alerts = () => callAs(ada)("GET", "/users/me/alerts");
  await expect.poll(alerts).toMatchObject([{ kind: "failing" }]);
  const { page } = await visit(stage(), { api_key: ada.apiKey });
  await page.goto("/console/");
  const sums = page.getByRole("region", { name: "Sums of the last 24 hours" });
  await expect.poll(() => sums.innerText()).toMatch(/Failed runs\s+10\s*100\s*%/);
  // Charts are drawn, with their sums as text.
  await expect.poll(() => page.locator("canvas").count()).toBe(2);
  const item = page.getByRole("listitem").filter({ hasText: "Parcels" });
  // Times are relative, and exact on hover.
  expect(await item.locator("time").getAttribute("title")).toMatch(/\d{4},? .*\d:\d\d/);
  await item.getByRole("link", { name: /Read its errors/ }).click();
  await page.getByRole("link", { name: "No carrier" }).first().waitFor();
  expect(new URL(page.url()).pathname).toBe(`/console/sources/${source.id}/errors`);

  const root = await visitAsOperator(`/alerts?owner=${ada.id}`);
  const row = root.getByRole("row").filter({ hasText: "Parcels" });
  await row.getByText("open").waitFor();
  // The source is not shown to operators: the alert has all details, and links to the owner.
  await row.getByRole("button", { name: "Parcels" }).click();
  const details = root.getByRole("dialog").filter({ hasText: "Parcels fails" });
  await details.getByText("Error: No carrier").waitFor();
  expect(new URL(root.url()).hash).toMatch(/^#alert-/);
  expect(await details.getByRole("link", { name: /^Open the/ }).count()).toBe(0);
  await details.getByRole("link", { name: "Its owner" }).click();
  await root.getByRole("heading", { name: ada.username }).waitFor();
  expect(new URL(root.url()).pathname).toBe(`/console/admin/users/${ada.id}`);
  await root.goBack();
  await details.waitFor();
  await root.goto(`/console/admin/alerts?owner=${ada.id}&state=ended`);
  await root.getByText("No alerts").waitFor();

  // An operator who is also signed in as the owner gets a link to the source.
  const both = await visit(stage(), { api_key: ada.apiKey });
  await signIn(both.context, { admin_token: stage().platform.adminToken });
  await both.page.goto(`/console/admin/alerts?owner=${ada.id}`);
  await both.page.getByRole("button", { name: "Parcels" }).click();
  await both.page.getByRole("link", { name: "Open the source" }).click();
  await both.page.getByRole("heading", { name: "Parcels", level: 1 }).waitFor();
});

test("an operator finds a failing webhook, and resends one of its deliveries", async () => {
  const ada = await newPerson(stage());
  const source = await deploy(ada, EMITS);
  const url = `${stage().target.url}/broken/operations`;
  const { id } = await callAs(ada)("POST", "/webhooks", { url, name: "Cellar" });
  const link = { emitter_id: source.id, listener_id: id };
  await callAs(ada)("POST", "/subscriptions", link);
  await post(endpointOf(source), { plum: 1 });
  const deliveries = () => callAs(ada)("GET", `/webhooks/${id}/deliveries`);
  await expect.poll(deliveries).toMatchObject([{ state: "failed" }]);
  const root = await visitAsOperator(`/dead-letters/${id}`);
  stage().target.mend();
  const [{ id: delivery }] = await deliveries();
  await root.getByRole("button", { name: `Send ${delivery} again` }).click();
  await expect.poll(deliveries).toMatchObject([{ state: "delivered" }]);
});

test("a user ends a session in another browser, which must sign in again", async () => {
  const ada = await newPerson(stage());
  const other = await visit(stage(), { api_key: ada.apiKey });
  await other.page.goto("/console/sources");
  await other.page.getByText("No sources yet").waitFor();
  const { page } = await visit(stage(), { api_key: ada.apiKey });
  await page.goto("/console/settings/sessions");
  const foreign = page.getByRole("row").filter({ hasText: "Chrome", hasNotText: "this one" });
  await foreign.getByRole("button", { name: /^End the session/ }).click();
  const question = page.getByRole("alertdialog");
  await question.getByRole("button", { name: "End session" }).click();
  // Behind an open dialog no row is found, whether or not it is gone.
  await question.waitFor({ state: "detached" });
  await foreign.waitFor({ state: "detached" });
  other.expectFault(/status of 401/);
  await other.page.reload();
  await other.page.getByRole("heading", { name: "Sign in to Wellspring", level: 1 }).waitFor();
  expect((await other.context.request.get("/console/session")).status()).toBe(401);
  expect((await page.request.get("/console/session")).status()).toBe(200);
});
