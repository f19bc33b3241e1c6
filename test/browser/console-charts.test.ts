import { expect, test } from "vitest";

import { dayTick } from "../../console/src/components/day-ticks.ts";
import { placeOf } from "../../console/src/pages/home/next-step.ts";
import { newPerson } from "../../tools/browser/console.ts";
import { callAs } from "../../tools/browser/story/api.ts";
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

test("the usage page shows quotas with the rest of them, of today and by day", async () => {
  const ada = await newPerson(stage());
  const limits = { daily_invocations_quota: 9, daily_compute_time_quota: 90_000 };
  await callAs(stage().operator)("PUT", `/users/${ada.id}/quotas`, limits);
  const { page } = await visit(stage(), { api_key: ada.apiKey });
  await page.goto("/console/settings/usage");
  const today = page.getByRole("region", { name: "Quotas of today" });
  await today.getByText("0 of 9, 9 left").waitFor();
  await today.getByText("1 min 30 s left").waitFor();
  // Credits and storage.
  await today.getByText("no limit").nth(1).waitFor();
  const days = page.getByRole("table", { name: "Usage by day" });
  const heads = await days.getByRole("columnheader").allInnerTexts();
  expect(heads).toEqual([
    "Day (UTC)",
    "Credits",
    "Invocations",
    "Left of 9",
    "Compute",
    "Left of 1 min 30 s",
  ]);
  const [row = ""] = await days.getByRole("row").nth(1).allInnerTexts();
  expect(row.split("\t").slice(2)).toEqual(["0", "9", "0 ms", "1 min 30 s"]);
});

test.for([
  ["source", "read_errors", "/sources/x%2F1/errors"],
  ["source", "read_logs", "/sources/x%2F1/logs"],
  ["source", "run_source", "/sources/x%2F1"],
  ["source", "choose_account", "/sources/x%2F1/configuration"],
  ["workflow", "read_runs", "/workflows/x%2F1"],
  ["workflow", "choose_account", "/workflows/x%2F1/definition"],
  ["webhook", "activate_webhook", "/webhooks/x%2F1"],
  ["account", "reconnect_account", "/settings/accounts/x%2F1"],
  ["user", "read_usage", "/settings/usage"],
] as const)("an issue of a %s whose next step is %s leads to %s", ([resource_type, action, to]) => {
  expect(placeOf({ resource_type, resource_id: "x/1", next: { action } })).toEqual({ to });
});

test("a quota of a workspace leads to the usage of the workspace", () => {
  const next = { action: "read_usage" };
  expect(placeOf({ resource_type: "workspace", resource_id: "o_1", next })).toEqual({
    to: "/settings/usage",
    search: { org: "o_1" },
  });
});
