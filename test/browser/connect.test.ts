import type { Page } from "playwright-core";
import { beforeAll, beforeEach, expect, test } from "vitest";

import { type Customer, newCustomer, setStage, type Stage } from "../../tools/browser/stage.ts";

let stage: Stage;
let customer: Customer;
let page: Page;

beforeAll(async () => {
  stage = await setStage();
  return () => stage.stop();
});

beforeEach(async () => {
  stage.provider.mood = "well";
  customer = await newCustomer(stage, "Plum");
  const context = await stage.newBrowser();
  page = await context.newPage();
  return () => context.close();
});

/** The link of a new token to the connect page of an app, built as in Pipedream's guide. */
async function linkTo(app: string, more: object = {}): Promise<string> {
  const { connect_link_url: link } = await customer.newToken(more);
  return `${link}&app=${app}`;
}

/** The URLs at the customer's product that a sign-in ends with. */
const redirects = () => ({
  success_redirect_uri: `${stage.origins.product}/done`,
  error_redirect_uri: `${stage.origins.product}/failed`,
});

const accounts = async () => (await customer.accounts()).map(({ id, app }) => [app.name_slug, id]);
const signIn = (at = page) => at.getByRole("button", { name: "Continue to Shop" }).click();
const alertOf = (at: Pick<Page, "getByRole"> = page) => at.getByRole("alert").innerText();

test("a user who allows access at the provider has an account, and is redirected", async () => {
  await page.goto(await linkTo("signing", redirects()));
  expect(await page.title()).toBe("Connect Shop to Plum");
  await signIn();
  await page.getByText("Allow").click();
  await page.waitForURL(`${stage.origins.product}/done*`);
  expect(await accounts()).toEqual([["signing", expect.stringMatching(/^apn_/)]]);
});

test("a user who denies access is redirected, or sees the denial and can retry", async () => {
  await page.goto(await linkTo("signing", redirects()));
  await signIn();
  await page.getByText("Deny").click();
  await page.waitForURL(`${stage.origins.product}/failed*`);
  await page.goto(await linkTo("signing"));
  await signIn();
  await page.getByText("Deny").click();
  expect(await alertOf()).toContain("was not given permission");
  expect(await accounts()).toEqual([]);
  await page.getByRole("link", { name: "Try again" }).click();
  await signIn();
  await page.getByText("Allow").click();
  await page.getByRole("heading", { name: "Shop is connected" }).waitFor();
  expect(await accounts()).toHaveLength(1);
});

test("an invalid state, or one from another browser, connects nothing", async () => {
  await page.goto(await linkTo("signing"));
  await signIn();
  const back = new URL((await page.getByText("Allow").getAttribute("href")) ?? "");
  const wrong = new URL(back);
  wrong.searchParams.set("state", "wrong");
  await page.goto(wrong.href);
  expect(await alertOf()).toContain("has expired, or was completed before");
  const other = await stage.newBrowser();
  const victim = await other.newPage();
  await victim.goto(back.href);
  expect(await alertOf(victim)).toContain("another browser");
  await other.close();
  expect(await accounts()).toEqual([]);
  await page.goto(back.href);
  await page.getByRole("heading", { name: "Shop is connected" }).waitFor();
});

test("a callback that is opened twice connects one account", async () => {
  await page.goto(await linkTo("signing"));
  await signIn();
  const back = (await page.getByText("Allow").getAttribute("href")) ?? "";
  await page.goto(back);
  await page.getByRole("heading", { name: "Shop is connected" }).waitFor();
  await page.goto(back);
  expect(await alertOf()).toContain("was completed before");
  expect(await accounts()).toHaveLength(1);
});

test("a token works once, and not after its expiry", async () => {
  const link = await linkTo("typing");
  await page.goto(link);
  await page.getByLabel("Host").fill("store.example");
  await page.getByLabel("API key").fill("key-1");
  await page.getByRole("button", { name: "Connect Store" }).click();
  await page.getByRole("heading", { name: "Store is connected" }).waitFor();
  await page.goto(link);
  expect(await alertOf()).toContain("has connected an account already");
  const short = await linkTo("signing", { expires_in: 1 });
  await expect.poll(async () => (await page.goto(short))?.status()).toBe(404);
  expect(await alertOf()).toContain("has expired, or was never valid");
});

test("a token that expires while its user is at the provider connects nothing", async () => {
  const { token, connect_link_url: link } = await customer.newToken({ expires_in: 15 });
  await page.goto(`${link}&app=signing`);
  await signIn();
  const allow = page.getByText("Allow");
  await allow.waitFor();
  const isOver = async () => {
    const status = await fetch(new URL(`/connect/${token}/status`, stage.platform.url));
    const { ended }: { ended: boolean } = await status.json();
    return ended;
  };
  await expect.poll(isOver, { interval: 500 }).toBe(true);
  await allow.click();
  expect(await alertOf()).toContain("expired");
  expect(await accounts()).toEqual([]);
});

test.for([
  ["down", "has trouble of its own (503)"],
  ["refusing", "invalid_grant"],
] as const)(
  "the page names a provider that is %s, and the link still works",
  async ([mood, words]) => {
    stage.provider.mood = mood;
    await page.goto(await linkTo("signing"));
    await signIn();
    await page.getByText("Allow").click();
    expect(await alertOf()).toContain(words);
    expect(await accounts()).toEqual([]);
    stage.provider.mood = "well";
    await page.getByRole("link", { name: "Try again" }).click();
    await signIn();
    await page.getByText("Allow").click();
    await page.getByRole("heading", { name: "Shop is connected" }).waitFor();
    expect(await accounts()).toHaveLength(1);
  },
);

test("two projects in one browser stay separate", async () => {
  const other = await newCustomer(stage, "Peach");
  const second = await page.context().newPage();
  await page.goto(await linkTo("signing"));
  const { connect_link_url: link } = await other.newToken();
  await second.goto(`${link}&app=signing`);
  expect(await second.title()).toBe("Connect Shop to Peach");
  await signIn();
  await signIn(second);
  await second.getByText("Allow").click();
  await second.getByRole("heading", { name: "Shop is connected" }).waitFor();
  expect([await accounts(), (await other.accounts()).length]).toEqual([[], 1]);
  await page.getByText("Allow").click();
  await page.getByRole("heading", { name: "Shop is connected" }).waitFor();
  expect([(await accounts()).length, (await other.accounts()).length]).toEqual([1, 1]);
});
