// @runs first

import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";

import { newPerson } from "../../tools/browser/console.ts";
import { PAGES, settled, show, stilled } from "../../tools/browser/pages.ts";
import { callAs } from "../../tools/browser/story/api.ts";
import { type Story, tellStory } from "../../tools/browser/story/story.ts";
import { barriersOf } from "../support/barriers.ts";
import { overhangOf, useOnePage, useStage, visit } from "../support/browser.ts";

const PHONE = { width: 360, height: 740 };

const stage = useStage();
let story: Story;

beforeAll(async () => {
  story = await tellStory(stage(), await newPerson(stage()));
});

/** Dates that are not written for people, outside of data, and moments that do not show their exact time on hover. */
const rawTimesOf = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const main = document.querySelector("main");
    const bare = [...main.querySelectorAll("time")].filter((one) => !/\\d:\\d\\d/.test(one.title) || !/\\d{4}/.test(one.title));
    const copy = main.cloneNode(true);
    for (const data of copy.querySelectorAll("pre, code, .cm-editor, [data-json]")) data.remove();
    return [...bare.map((one) => one.outerHTML), ...(copy.textContent.match(/\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d\\S*/g) ?? [])];
  })()`);

/** A page of a user who sees every page. */
const pageOfAll = useOnePage(stage, () => [
  { api_key: story.person.apiKey },
  { admin_token: stage().platform.adminToken },
]);

test.for(PAGES)(
  "$name has no accessibility violation in both themes, and fits a phone",
  async (each) => {
    const page = await pageOfAll();
    await show(page, each, story);
    expect(await barriersOf(page)).toEqual([]);
    expect(await page.getByRole("heading", { level: 1 }).count()).toBe(1);

    await page.emulateMedia({ colorScheme: "dark" });
    await stilled(page);
    // A theme changes colours alone.
    expect(await barriersOf(page, { rules: ["color-contrast"] })).toEqual([]);

    await page.setViewportSize(PHONE);
    await settled(page);
    await expect.poll(() => overhangOf(page)).toBeLessThanOrEqual(0);
    // Of 24 px at least, or with room around it.
    expect(await barriersOf(page, { rules: ["target-size"] })).toEqual([]);
    expect(await rawTimesOf(page)).toEqual([]);
  },
);

test("the sign-in page has no accessibility violation in both themes, and fits a phone", async () => {
  const { page } = await visit(stage());
  await page.goto("/console/sign-in");
  await page.getByRole("heading", { level: 1 }).waitFor();
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await stilled(page);
    expect(await barriersOf(page)).toEqual([]);
  }
  await page.setViewportSize(PHONE);
  await expect.poll(() => overhangOf(page)).toBeLessThanOrEqual(0);
});

test.for(["", "deploy", "sources", "webhooks", "workflows", "connect", "settings"])(
  "/console/%s shows the next step to a new user",
  async (path) => {
    const newcomer = await newPerson(stage());
    const { page } = await visit(stage(), { api_key: newcomer.apiKey });
    await page.goto(`/console/${path}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await settled(page);
    expect(await barriersOf(page)).toEqual([]);
    const next = page
      .locator("main")
      .getByRole("link")
      .or(page.locator("main").getByRole("button"));
    expect(await next.count()).toBeGreaterThan(0);
  },
);

test("home leads from each issue to the page where it is solved", async () => {
  const page = await pageOfAll();
  const quotas = { daily_invocations_quota: 1 };
  await callAs(stage().operator)("PUT", `/users/${story.person.id}/quotas`, quotas);
  const steps: [link: RegExp, path: string][] = [
    [/: Parcel tracking$/, `sources/${story.tracking}/errors`],
    [/: Bookkeeping$/, `webhooks/${story.bookkeeping}`],
    [new RegExp(`: ${story.person.username}$`), "settings/usage"],
  ];
  for (const [name, path] of steps) {
    await page.goto("/console/");
    await page.getByRole("link", { name }).click();
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/console/${path}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
  }
});
