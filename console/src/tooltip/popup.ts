/** The attribute with the text that is shown over an element under the pointer or with the focus. */
export const TOOLTIP = "data-tooltip";

const DELAY_MS = 400;
const GAP_PX = 6;

const LOOK =
  "pointer-events-none fixed inset-auto m-0 max-w-xs rounded-md border-0 bg-kumo-base px-2.5 py-1.5 text-sm text-kumo-default shadow-md outline outline-kumo-line";

let popup: HTMLElement | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let owner: Element | undefined;

/**
 * Show tooltips from now on: they share one element, so that a button with a tooltip costs no more than one without.
 */
export function startTooltips(): void {
  addEventListener("pointerover", ({ target, pointerType }) => {
    // A touch has no hover.
    if (pointerType !== "touch") point(ownerOf(target), DELAY_MS);
  });
  addEventListener("focusin", ({ target }) => {
    if (target instanceof Element && target.matches(":focus-visible")) point(ownerOf(target), 0);
  });
  for (const type of ["focusout", "pointerdown", "scroll", "popstate"])
    addEventListener(type, hide, { capture: true, passive: true });
  addEventListener("keydown", ({ key }) => {
    if (key === "Escape") hide();
  });
}

function ownerOf(target: EventTarget | null): Element | undefined {
  return (target instanceof Element && target.closest(`[${TOOLTIP}]`)) || undefined;
}

function point(next: Element | undefined, delayMs: number): void {
  if (next === owner) return;
  hide();
  owner = next;
  if (next) timer = setTimeout(() => show(next), delayMs);
}

function hide(): void {
  clearTimeout(timer);
  owner = undefined;
  if (popup?.matches(":popover-open") === true) popup.hidePopover();
}

function show(element: Element): void {
  // It may have been removed with its page meanwhile.
  if (!element.isConnected) return;
  popup ??= create();
  popup.textContent = element.getAttribute(TOOLTIP);
  // The top layer is above dialogs, and scrolling boxes do not clip it.
  popup.showPopover();
  const at = element.getBoundingClientRect();
  const { width, height } = popup.getBoundingClientRect();
  const left = at.left + (at.width - width) / 2;
  const above = at.top - height - GAP_PX;
  popup.style.left = `${Math.max(GAP_PX, Math.min(left, innerWidth - width - GAP_PX))}px`;
  popup.style.top = `${above < 0 ? at.bottom + GAP_PX : above}px`;
}

function create(): HTMLElement {
  const element = document.createElement("div");
  element.popover = "manual";
  element.className = LOOK;
  // Screen readers use the button's name, which is equivalent.
  element.ariaHidden = "true";
  document.body.append(element);
  return element;
}
