import { useSyncExternalStore } from "react";

/** Whether the page is shown in the dark theme. */
export function useDark(): boolean {
  return useSyncExternalStore(subscribe, () => document.documentElement.dataset["mode"] === "dark");
}

function subscribe(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange);
  observer.observe(document.documentElement, { attributeFilter: ["data-mode"] });
  return () => observer.disconnect();
}
