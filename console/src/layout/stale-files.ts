/** The key under which the router records that it reloaded the page for a missing file. */
const keyOf = (message: string) => `tanstack_router_reload:${message}`;

/**
 * Reload the page if one of its files is missing, once for each file: another release has other files. Offline a reload
 * would fail, so the page stays and shows an error.
 */
export function reloadForNewRelease(): void {
  addEventListener("vite:preloadError", ({ payload: { message } }) => {
    const key = keyOf(message);
    const wasReloaded = sessionStorage.getItem(key) !== null;
    sessionStorage.setItem(key, "1");
    if (!navigator.onLine) addEventListener("online", () => sessionStorage.removeItem(key));
    else if (!wasReloaded) location.reload();
  });
}
