import { useLocation } from "@tanstack/react-router";
import { useSyncExternalStore } from "react";

/** The number of mounted components with a dialog of each name. */
const names = new Map<string, number>();
const watchers = new Set<() => void>();

/** Notes that the page has a dialog of this name, until the returned function is called. */
export function addDialog(name: string): () => void {
  change(decoded(name), 1);
  return () => change(decoded(name), -1);
}

/** Whether the page has the dialog that the end of a URL names. */
export function hasDialog(hash: string): boolean {
  return names.has(decoded(hash));
}

function change(name: string, by: number): void {
  const count = (names.get(name) ?? 0) + by;
  if (count > 0) names.set(name, count);
  else names.delete(name);
  for (const notify of watchers) notify();
}

/** The end of the URL, if it names a dialog that the page does not have. */
export function useUnknownDialog(): string | undefined {
  const name = useLocation({ select: ({ hash }) => decoded(hash) });
  const isKnown = useSyncExternalStore(watchNames, () => names.has(name));
  return name === "" || isKnown ? undefined : name;
}

function watchNames(notify: () => void): () => void {
  watchers.add(notify);
  return () => watchers.delete(notify);
}

/** The router decodes some characters after `#`, and leaves others. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
