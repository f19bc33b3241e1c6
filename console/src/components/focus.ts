/** The element that a page begins with for the keyboard: the shell's `main`. */
const PAGE = "page";

/** Move the focus to the page, so that the next Tab leads into it. */
export function focusPage(): void {
  document.getElementById(PAGE)?.focus({ preventScroll: true });
}

/** How long an element with the focus is watched for: rows go away once a list was read anew and is shown. */
const WATCH_MS = 1000;

/** The same where the focus was on something that goes away, such as a deleted row or a link of the page before. */
export function recoverFocus(): void {
  const end = performance.now() + WATCH_MS;
  const look = () => {
    const { activeElement, body } = document;
    if (activeElement === null || activeElement === body) focusPage();
    else if (performance.now() < end) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}
