import { expect, test } from "vitest";

import { dayTick } from "../../console/src/components/day-ticks.ts";
import { newPerson } from "../../tools/browser/console.ts";
import { useStage, visit } from "../support/browser.ts";

const stage = useStage();

const at = (day: string) => Date.parse(day);

test("days around the first of a month leave room for its name", () => {
  const shown = ["2026-10-27", "2026-10-29", "2026-11-01", "2026-11-03", "2026-11-05"].filter(
    (day) => dayTick(at(day), 30) !== "",
  );
  expect(shown).toEqual(["2026-10-27", "2026-11-01", "2026-11-05"]);
});

test("each day of a week has its name", () => {
  for (const day of ["2026-10-30", "2026-10-31", "2026-11-01", "2026-11-02"])
    expect(dayTick(at(day), 7)).not.toBe("");
});

test("the usage page shows a message in place of empty charts", async () => {
  const { apiKey } = await newPerson(stage());
  const { page } = await visit(stage(), { api_key: apiKey });
  await page.goto("/console/settings/usage");
  await page.getByText("Nothing in these days").first().waitFor();
  expect(await page.locator("canvas").count()).toBe(0);
});
