import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Browser, Page } from "playwright-core";
import { beforeAll, expect, onTestFinished, test } from "vitest";

import { launchBrowser } from "../../tools/browser/chromium.ts";
import { startPlatform } from "../../tools/scripts/platform.ts";

let origin: string;
let browser: Browser;

beforeAll(async () => {
  const stateDir = await mkdtemp(join(tmpdir(), "docs-"));
  const platform = await startPlatform({ stateDir });
  origin = new URL(platform.url).origin;
  browser = await launchBrowser();
  return async () => {
    await browser.close();
    await platform.stop();
    await rm(stateDir, { recursive: true, force: true });
  };
});

/** A page, with its requests to other hosts and its error messages. */
async function newPage(): Promise<{ page: Page; strange: string[] }> {
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const strange: string[] = [];
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !/^(?:data|blob):/.test(url)) strange.push(url);
  });
  page.on("console", (message) => {
    if (message.type() === "error") strange.push(message.text());
  });
  page.on("pageerror", (error) => strange.push(error.message));
  return { page, strange };
}

test("the documentation, its search and the reference work without another host", async () => {
  const { page, strange } = await newPage();
  await page.goto(`${origin}/docs`);
  await page.getByRole("heading", { name: "What and why", level: 1 }).waitFor();
  await page.getByRole("link", { name: "Concepts", exact: true }).first().click();
  await page.getByRole("heading", { name: "Concepts", level: 1 }).waitFor();
  const picture = page.locator("img[alt^='The route of an event']");
  await expect.poll(() => picture.evaluate(widthOf)).toBeGreaterThan(0);
  const search = page.getByRole("searchbox");
  // Until the page's script runs, the keys do nothing.
  const openSearch = async () => {
    await page.keyboard.press("Control+k");
    return search.count();
  };
  await expect.poll(openSearch).toBe(1);
  await search.fill("signature");
  await page.getByRole("option").first().waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "API reference" }).first().click();
  await page.waitForURL(`${origin}/docs/api`);
  expect(strange).toEqual([]);
});

const widthOf = (picture: unknown): number => (picture as { naturalWidth: number }).naturalWidth;

test("the reference replaces the list, and shows no product of its vendor", async () => {
  const { page, strange } = await newPage();
  await page.goto(`${origin}/docs/api`);
  // The list that the script replaces has no groups.
  await page.getByText("Open Group - webhooks").first().waitFor({ state: "attached" });
  const shown = await page.locator("body").innerText();
  expect(shown).toContain("API");
  for (const word of ["Ask AI", "Powered by", "Open API Client", "Generate MCP", "Share"])
    expect(shown).not.toContain(word);
  const links = await page
    .locator("a[href^='http']:visible")
    .evaluateAll((all) => (all as { href: string }[]).map(({ href }) => href));
  expect(links.filter((href) => !href.startsWith(origin))).toEqual([]);
  expect(strange).toEqual([]);
});
