import type { FrameLocator, Page } from "playwright-core";
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
  customer = await newCustomer(stage, "Plum");
  const context = await stage.newBrowser();
  page = await context.newPage();
  return () => context.close();
});

/** The connect page in a dialog over a page of the customer's product, opened by our library. */
async function openDialog(app: string, more: object = {}): Promise<FrameLocator> {
  const { token } = await customer.newToken(more);
  const query = new URLSearchParams({ token, app });
  await page.goto(`${stage.origins.product}/?${query.toString()}`);
  await page.getByRole("button", { name: "Connect" }).click();
  return page.frameLocator("iframe");
}

/** The provider's window, opened from the dialog. */
async function openProvider(frame: FrameLocator): Promise<Page> {
  const opened = page.waitForEvent("popup");
  await frame.getByRole("button", { name: "Continue to Shop" }).click();
  const popup = await opened;
  await popup.getByText("Allow").waitFor();
  return popup;
}

/** The library's message to the product. */
async function outcome(): Promise<string> {
  const output = page.locator("output", { hasText: /./ });
  return output.innerText();
}

const accounts = async () => (await customer.accounts()).map(({ id }) => id);

test("an account is connected in a window of the provider's, over the product's page", async () => {
  const popup = await openProvider(await openDialog("signing"));
  const closed = popup.waitForEvent("close");
  await popup.getByText("Allow").click();
  await closed;
  const words = await outcome();
  expect(words).toBe(`connected ${(await accounts())[0]}`);
  await expect.poll(() => page.locator("iframe").count()).toBe(0);
});

test("a user who denies access sees that in the dialog, and can continue", async () => {
  const frame = await openDialog("signing");
  const denying = await openProvider(frame);
  await denying.getByText("Deny").click();
  await frame.getByText("was not given permission").waitFor();
  expect(await accounts()).toEqual([]);
  await denying.close();
  const popup = await openProvider(frame);
  await popup.getByText("Allow").click();
  expect(await outcome()).toMatch(/^connected apn_/);
});

test("the dialog detects a closed window, and the product the dialog's end", async () => {
  const frame = await openDialog("signing");
  const popup = await openProvider(frame);
  await popup.close();
  await frame.getByText("was closed. You can open it again.").waitFor();
  await frame.getByRole("button", { name: "Close" }).click();
  expect(await outcome()).toBe("AbortError: The window was closed before an account was connected");
  expect(await page.locator("iframe").count()).toBe(0);
});

test("a form works by keyboard alone, and names missing fields", async () => {
  const frame = await openDialog("typing");
  await frame.getByLabel("Host").waitFor();
  const { keyboard } = page;
  const press = async (...keys: string[]) => {
    for (const key of keys) await keyboard.press(key);
  };
  const focused = () => frame.locator("input:focus, button:focus").getAttribute("name");
  const host = frame.locator("input:focus[name='field.host']");
  for (let tabs = 0; tabs < 4 && (await host.count()) === 0; tabs += 1) await press("Tab");
  await keyboard.type("store.example");
  await press("Tab");
  expect(await focused()).toBe("field.api_key");
  await press("Enter");
  expect(await frame.locator("input:invalid:focus").count()).toBe(1);
  await keyboard.type("key-1");
  await press("Enter");
  expect(await outcome()).toMatch(/^connected apn_/);
});

test("escape closes the dialog", async () => {
  const frame = await openDialog("typing");
  await frame.getByLabel("Host").press("Escape");
  expect(await outcome()).toMatch(/^AbortError/);
});

test("a page of another origin than the token's cannot frame the form", async () => {
  const { token } = await customer.newToken({ allowed_origins: [stage.origins.product] });
  const query = new URLSearchParams({ token, app: "typing" }).toString();
  const labels = async (origin: string) => {
    await page.goto(`${origin}/?${query}`);
    const refused = page.waitForEvent("console", (message) =>
      message.text().includes("frame-ancestors"),
    );
    refused.catch(() => {});
    await page.getByRole("button", { name: "Connect" }).click();
    const shown = page.frameLocator("iframe").getByLabel("Host").waitFor();
    shown.catch(() => {});
    return Promise.race([refused.then(() => "refused"), shown.then(() => "shown")]);
  };
  expect(await labels(stage.origins.stranger)).toBe("refused");
  expect(await labels(stage.origins.product)).toBe("shown");
});

test("the page sends requests only to the platform, and no referrer", async () => {
  const origins = new Set<string>();
  page.on("request", (request) => origins.add(new URL(request.url()).origin));
  const { connect_link_url: link } = await customer.newToken();
  await page.goto(`${link}&app=signing`);
  await page.waitForLoadState("networkidle");
  expect(origins).toEqual(new Set([stage.origins.platform]));
  await page.getByRole("button", { name: "Continue to Shop" }).click();
  await page.getByText("Allow").waitFor();
  expect(await page.evaluate("document.referrer")).toBe("");
});

test.for([
  ["light", "rgb(255, 255, 255)"],
  ["dark", "rgb(28, 31, 38)"],
] as const)(
  "the dialog fits a phone and is readable in the %s theme",
  async ([colorScheme, surface]) => {
    const viewport = { width: 320, height: 568 };
    const phone = await stage.newBrowser({ viewport, colorScheme, hasTouch: true });
    const at = await phone.newPage();
    const { connect_link_url: link } = await customer.newToken();
    await at.goto(`${link}&app=typing`);
    expect(await at.evaluate("document.documentElement.scrollWidth")).toBe(viewport.width);
    const colour = "getComputedStyle(document.querySelector('main')).backgroundColor";
    expect(await at.evaluate(colour)).toBe(surface);
    const targets = await at.locator("input, button:visible").all();
    expect(targets).toHaveLength(3);
    for (const target of targets) {
      // Fingers miss smaller ones.
      expect((await target.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    }
    await phone.close();
  },
);
