import type { Page } from "playwright-core";
import { vi } from "vitest";

import { POLL_TIMEOUT_MS } from "./timeouts.ts";

/** The name of the element that has the focus, as far as people hear it. */
const NAME = `(() => {
  const at = document.activeElement;
  if (!at || at === document.body) return "";
  const labelled = at.getAttribute("aria-labelledby")?.split(" ")
    .map((id) => document.getElementById(id)?.textContent ?? "").join(" ");
  return at.getAttribute("aria-label") || labelled || at.labels?.[0]?.textContent || at.textContent || at.id || at.tagName;
})()`;

/**
 * Whether the element with the focus looks different from itself without: its twin beside it is compared, and those of the
 * boxes around it.
 */
const SHOWS_FOCUS = `(() => {
  const at = document.activeElement;
  const look = (one) => {
    const { outlineStyle, outlineWidth, boxShadow, backgroundColor, borderColor, clipPath } = getComputedStyle(one);
    const outline = outlineStyle === "none" ? "none" : outlineStyle + outlineWidth;
    return [outline, boxShadow, backgroundColor, borderColor, clipPath].join(" ");
  };
  for (let one = at, level = 0; one && one !== document.body && level < 4; one = one.parentElement, level += 1) {
    const twin = one.cloneNode(true);
    for (const each of [twin, ...twin.querySelectorAll("*")]) {
      each.classList.remove("cm-focused");
      for (const name of ["name", "id", "data-focused", "data-highlighted"]) each.removeAttribute(name);
    }
    one.after(twin);
    const isDifferent = look(twin) !== look(one);
    twin.remove();
    if (isDifferent) return true;
  }
  return false;
})()`;

/** A page that is used by the keyboard alone. */
export class Keyboard {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /** The name of the element that has the focus; empty: none has it. */
  async focused(): Promise<string> {
    return String(await this.#page.evaluate(NAME)).trim();
  }

  showsFocus(): Promise<boolean> {
    return this.#page.evaluate(SHOWS_FOCUS);
  }

  press(...keys: string[]): Promise<void> {
    return keys.reduce(
      (before, key) => before.then(() => this.#page.keyboard.press(key)),
      Promise.resolve(),
    );
  }

  type(text: string): Promise<void> {
    return this.#page.keyboard.type(text);
  }

  /** Press Tab until the focus is on something of this name, and is seen there. */
  async tabTo(name: RegExp, most = 60): Promise<void> {
    const passed: string[] = [];
    for (let pressed = 0; pressed < most; pressed += 1) {
      await this.press("Tab");
      const at = await this.focused();
      if (name.test(at)) return this.expectVisible(at);
      passed.push(at.slice(0, 40));
    }
    throw new Error(`Tab did not lead to ${String(name)}, but to ${passed.join(" | ")}`);
  }

  /** The same, and press Enter there. */
  async open(name: RegExp, most?: number): Promise<void> {
    await this.tabTo(name, most);
    await this.press("Enter");
  }

  /** Styles of the focus fade in. */
  async expectVisible(name: string): Promise<void> {
    await vi.waitFor(
      async () => {
        if (!(await this.showsFocus())) throw new Error(`The focus on ${name} is not seen`);
      },
      { timeout: POLL_TIMEOUT_MS },
    );
  }
}
