import { join } from "node:path";

import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { beforeAll, expect, onTestFinished } from "vitest";

import {
  type ConsoleStage,
  type Credentials,
  openBrowser,
  type Preparation,
  setConsoleStage,
  signIn,
} from "../../tools/browser/console.ts";

const PICTURES = join(import.meta.dirname, "../../.wrangler/screenshots");

/** One user's browser in a test. */
export type Visit = {
  context: BrowserContext;
  page: Page;
  /** Ignore faults of this kind: the test causes them. */
  expectFault: (pattern: RegExp) => void;
};

/** A stage for all tests of a file. `settings`: further settings of its platform. */
export function useStage(
  preparation?: Preparation,
  settings?: () => Promise<Record<string, string>>,
): () => ConsoleStage {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await setConsoleStage(preparation, await settings?.());
    return stage.stop;
  });
  return () => stage;
}

/**
 * Open a browser, signed in with these credentials, if any. The test also fails if a page of it logs an error, violates
 * its policy or requests another host; a picture of the final page is saved.
 */
export async function visit(
  stage: ConsoleStage,
  credentials?: Credentials,
  options?: BrowserContextOptions,
): Promise<Visit> {
  const { context, watched } = await openBrowser(stage, options);
  // Less than the timeout of the test, so that its error names the missing element.
  context.setDefaultTimeout(10_000);
  const page = await context.newPage();
  const title = expect.getState().currentTestName ?? "";
  onTestFinished(async () => {
    await keepPicture(page, title);
    await context.close();
    expect(watched.faults()).toEqual([]);
  });
  if (credentials) await signIn(context, credentials);
  return { context, page, expectFault: watched.expectFault };
}

/** Save a picture of a page, as an artefact of the tests. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  const file = name.replaceAll(/[^a-z0-9]+/gi, "-").slice(0, 80);
  await page.screenshot({ path: join(PICTURES, `${file}.png`) }).catch(() => undefined);
}

/** The excess of a page's width over its window: it would scroll sideways. */
export function overhangOf(page: Page): Promise<number> {
  return page.evaluate("document.documentElement.scrollWidth - innerWidth");
}
