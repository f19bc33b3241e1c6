import "../scripts/help.ts";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core";

import { changeDirectory } from "../bench/targets.ts";
import { ROOT } from "../scripts/local/settings.ts";
import {
  type ConsoleStage,
  newPerson,
  openBrowser,
  type Person,
  setConsoleStage,
  signIn,
} from "./console.ts";
import { PAGES, show } from "./pages.ts";
import { rememberPast } from "./story/history.ts";
import { type Story, tellStory } from "./story/story.ts";

const ALL = join(ROOT, ".wrangler/screenshots/console");

/** The pictures in README and docs, by page and theme. */
const CHOSEN = new Set(["home-light", "event-light", "event-dark", "run-light"]);

const VIEWPORT = { width: 1280, height: 800 };

/** Sharp on a dense screen, and still small. */
const SCALE = 1.5;
const QUALITY = 80;

await mkdir(ALL, { recursive: true });
let finished: Story | undefined;
const stage = await setConsoleStage({
  async fill(platform) {
    finished = await tellStory(platform, await newPerson(platform, "maria"));
  },
  async change(stateDir) {
    const story = finished;
    if (story) await changeDirectory(stateDir, (db) => rememberPast(db, story, Date.now()));
  },
});
try {
  if (finished)
    for (const theme of ["light", "dark"] as const) await takeAll(stage, finished, theme);
} finally {
  await stage.stop();
}

async function takeAll(
  at: ConsoleStage,
  story: Story,
  colorScheme: "light" | "dark",
): Promise<void> {
  const options: BrowserContextOptions = {
    viewport: VIEWPORT,
    deviceScaleFactor: SCALE,
    colorScheme,
    reducedMotion: "reduce",
  };
  const { context } = await openBrowser(at, options);
  await signInAsBoth(context, story.person, at.platform.adminToken);
  const page = await context.newPage();
  for (const each of PAGES) {
    await show(page, each, story);
    await take(page, `${each.name}-${colorScheme}`);
  }
  await context.close();
}

async function signInAsBoth(
  context: BrowserContext,
  { apiKey }: Person,
  adminToken: string,
): Promise<void> {
  await signIn(context, { api_key: apiKey });
  await signIn(context, { admin_token: adminToken });
}

async function take(page: Page, name: string): Promise<void> {
  const picture = await pictureOf(page);
  await writeFile(join(ALL, `${name}.webp`), picture);
  if (CHOSEN.has(name)) await writeFile(join(ROOT, "docs", `console-${name}.webp`), picture);
  console.log(`${String(Math.ceil(picture.length / 1024)).padStart(5)} KB  ${name}`);
}

/** WebP, which the browser encodes itself and Playwright does not offer. */
async function pictureOf(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", {
    format: "webp",
    quality: QUALITY,
  });
  await session.detach();
  return Buffer.from(data, "base64");
}
