import { join } from "node:path";

import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";

import {
  type ConsoleStage,
  type Credentials,
  openBrowser,
  type Preparation,
  setConsoleStage,
  signIn,
} from "../../tools/browser/console.ts";
import type { Watch } from "../../tools/browser/watch.ts";
import { POLL_TIMEOUT_MS } from "./timeouts.ts";

const PICTURES = join(import.meta.dirname, "../../.wrangler/screenshots");

const DESKTOP = { width: 1280, height: 800 };

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
 * its policy or requests another host; a picture of a failed test's final page is saved.
 */
export async function visit(
  stage: ConsoleStage,
  credentials?: Credentials,
  options?: BrowserContextOptions,
): Promise<Visit> {
  const opened = await open(stage, credentials ? [credentials] : [], options);
  onTestFinished(() => opened.context.close());
  failOnFaults(opened);
  const { context, page, watched } = opened;
  return { context, page, expectFault: watched.expectFault };
}

/**
 * A page for the tests of a file that only look, signed in with these credentials: each new browser would compile the
 * whole console again. It is blank, light and of a desktop's size for each test, which fails as with `visit`.
 */
export function useOnePage(
  stage: () => ConsoleStage,
  credentials: () => Credentials[],
): () => Promise<Page> {
  let opened: Promise<Opened> | undefined;
  afterAll(async () => (await opened)?.context.close());
  return async () => {
    opened ??= open(stage(), credentials());
    const { page } = await opened;
    failOnFaults(await opened);
    await page.goto("about:blank");
    await page.setViewportSize(DESKTOP);
    await page.emulateMedia({ colorScheme: "light" });
    return page;
  };
}

type Opened = Pick<Visit, "context" | "page"> & { watched: Watch };

async function open(
  stage: ConsoleStage,
  credentials: readonly Credentials[],
  options?: BrowserContextOptions,
): Promise<Opened> {
  const { context, watched } = await openBrowser(stage, options);
  // Less than the timeout of the test, so that its error names the missing element. The first build loads the compiler.
  context.setDefaultTimeout(POLL_TIMEOUT_MS);
  const page = await context.newPage();
  for (const each of credentials) await signIn(context, each);
  return { context, page, watched };
}

/** A picture of a failed test's page is an artefact of it. */
function failOnFaults({ page, watched }: Opened): void {
  onTestFinished(async ({ task }) => {
    const path = join(PICTURES, `${task.name.replaceAll(/[^a-z0-9]+/gi, "-").slice(0, 80)}.png`);
    if (task.result?.state === "fail") await page.screenshot({ path }).catch(() => undefined);
    expect(watched.takeFaults()).toEqual([]);
  });
}

/** The excess of a page's width over its window: it would scroll sideways. */
export function overhangOf(page: Page): Promise<number> {
  return page.evaluate("document.documentElement.scrollWidth - innerWidth");
}
