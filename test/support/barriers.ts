import axe, { type Result, type RunOptions } from "axe-core";
import type { Page } from "playwright-core";

type Scope = {
  /** Only these rules; absent: all. */
  rules?: string[];
  /** A selector of the part that is looked at; absent: the whole page. */
  within?: string;
};

/**
 * The accessibility violations of a page, by rule and place. Axe runs in the page itself: no page has frames, for which
 * its package for Playwright opens another page at every look.
 */
export async function barriersOf(
  page: Page,
  { rules, within = "html" }: Scope = {},
): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source);
  const options: RunOptions = { resultTypes: ["violations"], ...(rules && { runOnly: rules }) };
  const run = `axe.run(${JSON.stringify(within)}, ${JSON.stringify(options)})`;
  const violations = await page.evaluate<Result[]>(`${run}.then(({ violations }) => violations)`);
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(" ")}`));
}
