import { gzipSync } from "node:zlib";

import type { Page } from "playwright-core";

/** Files that a page may load after its first content. */
const LATER = /\/assets\/echarts-/;

/** The files that a browser with an empty cache loads for a page. */
export type FirstLoad = { bytes: number; files: number };

/**
 * Open a page of the console, and add up the bytes transferred until the network is idle: its HTML, scripts, styles and
 * pictures, compressed as they are sent. Charts are excluded: they load after the page shows.
 */
export async function measureFirstLoad(
  page: Page,
  path: string,
  shown: () => Promise<unknown>,
): Promise<FirstLoad> {
  const sizes: Promise<number>[] = [];
  page.on("response", (response) => {
    const { pathname } = new URL(response.url());
    const isFile = pathname.startsWith("/console/") && pathname !== "/console/session";
    if (isFile && !LATER.test(pathname)) sizes.push(compressedSize(response));
  });
  await page.goto(`/console${path}`);
  await shown();
  await page.waitForLoadState("networkidle");
  const all = await Promise.all(sizes);
  return { bytes: all.reduce((sum, size) => sum + size, 0), files: all.length };
}

async function compressedSize(response: { body: () => Promise<Buffer> }): Promise<number> {
  return gzipSync(await response.body()).length;
}
