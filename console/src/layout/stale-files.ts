/** Under this name the router remembers that it loaded the page anew for a file that was missing. */
const keyOf = (message: string) => `tanstack_router_reload:${message}`;

/**
 * Load the page anew where a file of it is missing, once for each: another release brings other files. Offline nothing
 * would be loaded, so the page stays and says so.
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
