import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";

type Scope = {
  /** Only these rules; absent: all. */
  rules?: string[];
  /** A selector of the part that is looked at; absent: the whole page. */
  within?: string;
};

/** The accessibility violations of a page, by rule and place. */
export async function barriersOf(page: Page, { rules, within }: Scope = {}): Promise<string[]> {
  let axe = new AxeBuilder({ page });
  if (rules) axe = axe.withRules(rules);
  if (within !== undefined) axe = axe.include(within);
  const { violations } = await axe.analyze();
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(" ")}`));
}
