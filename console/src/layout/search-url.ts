import { type AnyRouter, useLocation, useRouter } from "@tanstack/react-router";
import { useCallback, useEffect } from "react";

import { addDialog, decoded } from "../components/known-dialogs.ts";
import { closeDialog, dialogOf, isDialogOpen, openDialog, STAY } from "../components/opening.ts";

const NAME = "search";

type SearchUrl = {
  /** The text that is searched for; undefined if the search is closed. */
  text: string | undefined;
  setText: (text: string) => void;
  close: () => void;
};

/**
 * The search in the URL: `#search`, or `#search-` and its text. So a link leads to its results, a reload keeps them, and the
 * browser's back button closes it.
 */
export function useSearchUrl(): SearchUrl {
  const router = useRouter();
  const text = useLocation({ select: ({ publicHref }) => textIn(publicHref) });
  const hash = useLocation({ select: (location) => location.hash });
  const isOpen = text !== undefined;
  useEffect(() => (isOpen ? addDialog(hash) : undefined), [isOpen, hash]);
  const setText = useCallback(
    (next: string) => {
      // It was closed during the pause after typing.
      if (textIn(router.latestLocation.publicHref) === undefined) return;
      void router.navigate({
        to: ".",
        search: true,
        hash: next === "" ? NAME : dialogOf(NAME, next),
        state: true,
        replace: true,
        ...STAY,
      });
    },
    [router],
  );
  return { text, setText, close: () => closeDialog(router) };
}

/** Opens the search, unless a dialog of the page is open: it is modal, and its form would be lost. */
export function openSearch(router: AnyRouter): void {
  if (!isDialogOpen(router)) openDialog(router, NAME);
}

/** The text in a URL. The router decodes some characters of the hash, so that only the URL itself is exact. */
function textIn(href: string): string | undefined {
  const start = href.indexOf("#");
  const name = start === -1 ? "" : decoded(href.slice(start + 1));
  if (name === NAME) return "";
  return name.startsWith(`${NAME}-`) ? name.slice(NAME.length + 1) : undefined;
}
