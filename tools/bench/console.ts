import type { Page } from "playwright-core";

import {
  type ConsoleStage,
  newPerson,
  openBrowser,
  setConsoleStage,
  signIn,
} from "../browser/console.ts";
import { type FirstLoad, measureFirstLoad } from "../browser/first-load.ts";
import { MANY, noteLongTasks, scroll, takeLongTasks, withManySources } from "../browser/many.ts";
import { deploy, endpointOf } from "../scripts/api.ts";
import { post } from "./load.ts";
import { percentile } from "./statistics.ts";

const EVENTS = 50;
const LOADS = 5;
const TURNS = 60;
const KB = 1024;

const SOURCE = `export default { name: "Orders", version: "0.0.1", props: { http: "$.interface.http" },
  run({ body }) { this.$emit(body, { summary: body.id }); } };`;

/** Print the delay of an event on the screen, the size of a first load, and blocking times with very many rows. */
export async function measureConsole(): Promise<void> {
  const { preparation, owner } = withManySources();
  const stage = await setConsoleStage(preparation);
  const { apiKey } = owner();
  try {
    console.log("\nThe console, in a Chromium on the same machine:\n");
    await measureLiveEvents(stage);
    await measureFirstLoads(stage, apiKey);
    await measureLongTasks(stage, apiKey);
  } finally {
    await stage.stop();
  }
}

/** From the request that triggers an event to the frame that shows it. */
async function measureLiveEvents(stage: ConsoleStage): Promise<void> {
  const person = await newPerson(stage);
  const source = await deploy(person, SOURCE);
  const { context } = await openBrowser(stage);
  await signIn(context, { api_key: person.apiKey });
  const page = await context.newPage();
  await page.goto(`/console/sources/${source.id}`);
  await page.getByText(/live/i).first().waitFor();
  const times: number[] = [];
  for (let sent = 0; sent < EVENTS; sent += 1)
    times.push(await timeToShow(page, endpointOf(source), `order-${sent}-of-${EVENTS}`));
  await context.close();
  const sorted = times.toSorted((a, b) => a - b);
  const [p50, p99] = [0.5, 0.99].map((share) => percentile(sorted, share).toFixed(0));
  console.log(`A live event is on the screen ${p50} ms after its trigger (p50; p99 ${p99} ms).`);
}

/** Resolves with the time of the first frame after a text appears. */
const SHOWN = (text: string) => `new Promise((resolve) => {
  const isThere = () => document.body.textContent.includes(${JSON.stringify(text)});
  const observer = new MutationObserver(() => {
    if (!isThere()) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => resolve(performance.timeOrigin + performance.now())));
  });
  observer.observe(document.body, { subtree: true, childList: true, characterData: true });
})`;

async function timeToShow(page: Page, url: string, id: string): Promise<number> {
  const shown = page.evaluate<number>(SHOWN(id));
  // The page has the observer before the request leaves.
  await page.evaluate("0");
  const startedAtMs = performance.timeOrigin + performance.now();
  await post(url, JSON.stringify({ id }));
  return (await shown) - startedAtMs;
}

/** The bytes that a browser with an empty cache loads until it shows a list, and the time to that. */
async function measureFirstLoads(stage: ConsoleStage, apiKey: string): Promise<void> {
  const loads: Load[] = [];
  for (let load = 0; load < LOADS; load += 1) loads.push(await loadOnce(stage, apiKey));
  const [first] = loads;
  const times = loads.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const size = ((first?.bytes ?? 0) / KB).toFixed(0);
  console.log(
    `First load of the list of sources: ${size} KB gzip in ${first?.files} files; it is shown after ${percentile(times, 0.5).toFixed(0)} ms (median of ${LOADS}).`,
  );
}

type Load = FirstLoad & { ms: number };

async function loadOnce(stage: ConsoleStage, apiKey: string): Promise<Load> {
  const { context } = await openBrowser(stage);
  await signIn(context, { api_key: apiKey });
  const page = await context.newPage();
  const startedAtMs = performance.now();
  let ms = 0;
  const load = await measureFirstLoad(page, "/sources", async () => {
    await page.getByText("Source 10000", { exact: true }).waitFor();
    ms = performance.now() - startedAtMs;
  });
  await context.close();
  return { ...load, ms };
}

async function measureLongTasks(stage: ConsoleStage, apiKey: string): Promise<void> {
  const { context } = await openBrowser(stage);
  await signIn(context, { api_key: apiKey });
  const page = await context.newPage();
  await noteLongTasks(page);
  await page.goto("/console/sources");
  await page.getByText("Source 10000", { exact: true }).waitFor();
  await page.waitForLoadState("networkidle");
  await takeLongTasks(page);
  console.log(
    `\n| with ${MANY.toLocaleString("en")} sources | tasks over 50 ms | the longest, ms |\n|---|---|---|`,
  );
  const most = await scroll(page, TURNS);
  report("scrolling", await takeLongTasks(page));
  await page.getByRole("searchbox").first().pressSequentially("source 77", { delay: 60 });
  await page.getByText("Source 77", { exact: true }).waitFor();
  report("filtering", await takeLongTasks(page));
  await page.getByRole("searchbox").first().fill("");
  // Newest first: the filtered rows are far from the top of the whole list.
  await page.getByText("Source 77", { exact: true }).waitFor({ state: "detached" });
  report("clearing the filter", await takeLongTasks(page));
  console.log(`\nAt most ${most} rows were in the document.`);
  await context.close();
}

function report(name: string, durations: readonly number[]): void {
  console.log(`| ${name} | ${durations.length} | ${Math.max(0, ...durations).toFixed(0)} |`);
}
