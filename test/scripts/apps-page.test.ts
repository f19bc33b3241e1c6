import { expect, test } from "vitest";

import { readEntries } from "../../tools/scripts/assets/catalogue.ts";
import { appsTable } from "../../tools/scripts/site/apps-table.ts";
import { renderPages } from "../../tools/scripts/site/pages.ts";

test("the page of apps has a row for each entry of the catalogue, and no placeholder", async () => {
  const page = (await renderPages()).get("apps") ?? "";
  const rows = page.split("\n").filter((line) => line.startsWith("| `"));
  const slugs = rows.map((row) => /^\| `([^`]+)`/.exec(row)?.[1]);
  expect(slugs).toEqual(Object.keys(await readEntries()));
  expect(page).toContain(
    "| `google_sheets` | Google Sheets | OAuth | [developers.google.com](https://",
  );
  expect(page).toContain("| `slack`, `slack_v2` | Slack | OAuth |");
  expect(page).toMatch(/\| `stripe` \| Stripe \| keys \| .* \| +\|$/m);
  expect(page).not.toContain("<!--");
});

test("a name with Markdown or HTML in it is text in the table", () => {
  const entry = {
    name: "A | <b> [x] *y*",
    description: "",
    categories: [],
    auth_type: "keys" as const,
    docs: "https://shop.example.com/docs_(keys)",
    verified: "2026-01-01",
    sources: {},
    aliases: [],
  };
  const table = appsTable({ shop: entry });
  expect(table).toContain(String.raw`A \| \<b\> \[x\] \*y\* |`);
  expect(table).toContain("[shop.example.com](https://shop.example.com/docs_%28keys%29)");
});
