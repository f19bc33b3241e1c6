import type { Page } from "playwright-core";

import { changeDirectory } from "../bench/targets.ts";
import { newPerson, type Person, type Platform, type Preparation } from "./console.ts";

/** The number of sources at which a console must stay quick. */
export const MANY = 10_000;

const INSERT = `INSERT INTO sources (id, owner_id, user_id, component_id, name, name_slug, active, state,
    shown_props, endpoints, created_at, updated_at)
  WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT ?)
  SELECT 'dc_' || printf('%07d', n), ?, ?, 'sc_' || printf('%07d', n), 'Source ' || n, 'source-' || n,
    n % 7 > 0, 'live', '{"shop":"books","limit":10}', '{"http":"' || hex(randomblob(22)) || '"}',
    unixepoch() - n * 60, unixepoch() - n * 60 FROM numbers`;

/** Prepares a platform with a user who has very many sources, as rows alone: lists read nothing else. */
export function withManySources(): { preparation: Preparation; owner: () => Person } {
  let owner: Person;
  return {
    owner: () => owner,
    preparation: {
      fill: async (platform: Platform) => {
        owner = await newPerson(platform);
      },
      change: (stateDir) =>
        changeDirectory(stateDir, (db) => {
          db.prepare(INSERT).run(MANY, owner.id, owner.id);
        }),
    },
  };
}

/** Records tasks that block a page for long, from before it loads. Chromium reports those of 50 ms and more. */
const NOTE_LONG_TASKS = `window.longTasks = [];
  new PerformanceObserver((list) => {
    for (const { duration, startTime } of list.getEntries()) window.longTasks.push({ duration, startTime });
  }).observe({ type: "longtask", buffered: true });`;

/** Call before a page loads. */
export async function noteLongTasks(page: Page): Promise<void> {
  await page.addInitScript({ content: NOTE_LONG_TASKS });
}

/** The long tasks since the last call. */
export async function takeLongTasks(page: Page): Promise<number[]> {
  return page.evaluate("window.longTasks.splice(0).map(({ duration }) => duration)");
}

/** The number of table rows and list items in a page's document. */
export async function rowsOf(page: Page): Promise<number> {
  return page.evaluate(
    `document.querySelectorAll("main tbody tr, main [role=row], main li").length`,
  );
}

/** Scroll through a list as fast as a wheel does, for this many turns. Returns the page's maximum number of rows. */
export async function scroll(page: Page, turns: number): Promise<number> {
  const list = page.locator("main").getByRole("table").first();
  const box = await list.boundingBox();
  await page.mouse.move((box?.x ?? 0) + 80, (box?.y ?? 0) + 120);
  let most = await rowsOf(page);
  for (let turn = 0; turn < turns; turn += 1) {
    await page.mouse.wheel(0, 1200);
    await page.waitForTimeout(50);
    most = Math.max(most, await rowsOf(page));
  }
  return most;
}
