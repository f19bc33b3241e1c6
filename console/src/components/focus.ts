/** The element that a page begins with for the keyboard: the shell's `main`. */
const PAGE = "page";

/** Move the focus to the page, so that the next Tab leads into it. */
export function focusPage(): void {
  document.getElementById(PAGE)?.focus({ preventScroll: true });
}

/** Time for which an element with the focus is watched: rows disappear once a list was reloaded. */
const WATCH_MS = 1500;

/** Time after which a lost focus moves to the page: a closing dialog returns it shortly after an action. */
const GRACE_MS = 150;

/** Toasts are dialogs, too, but not modal. */
const DIALOG = '[role="alertdialog"], [role="dialog"]:not([aria-modal="false"])';

/** The same where the focus was on something that goes away, such as a deleted row or a link of the page before. */
export function recoverFocus(graceMs = GRACE_MS): void {
  const end = performance.now() + WATCH_MS;
  let lostAt: number | undefined;
  const look = (now: number) => {
    lostAt = isLost() ? (lostAt ?? now) : undefined;
    if (lostAt !== undefined && now - lostAt >= graceMs) focusPage();
    else if (now < end || lostAt !== undefined) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/** Whether no element has the focus, and no open dialog has it or returns it. */
function isLost(): boolean {
  const { activeElement, body } = document;
  const isNowhere = activeElement === null || activeElement === body;
  return isNowhere && document.querySelector(DIALOG) === null;
}
