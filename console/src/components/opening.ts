import { type AnyRouter, useLocation, useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";

import { addDialog, decoded, hasDialog } from "./known-dialogs.ts";

type Opening = {
  isOpen: boolean;
  key: number;
  setOpen: (isOpen: boolean) => void;
};

/**
 * Whether a dialog is open, and a key under which its contents begin anew each time that it opens. It is open while the URL
 * ends in `#` and its name, so that a link leads to it and the browser's back button closes it.
 */
export function useOpening(name: string): Opening {
  const router = useRouter();
  const isOpen = useLocation({ select: ({ hash }) => isNamed(hash, name) });
  const [{ key, wasOpen }, note] = useState({ key: 0, wasOpen: false });
  if (isOpen !== wasOpen) note({ key: isOpen ? key + 1 : key, wasOpen: isOpen });
  useEffect(() => addDialog(name), [name]);
  const setOpen = (next: boolean) => (next ? openDialog(router, name) : close(router, name));
  return { isOpen, key, setOpen };
}

/** The name of a dialog about one resource, by its id or another text. */
export function dialogOf(action: string, id: string): string {
  return `${action}-${encodeURIComponent(id)}`;
}

/** The id of the resource whose dialog the URL names, if the dialog is for one of these actions. */
export function useDialogId(actions: readonly string[]): string | undefined {
  return useLocation({ select: ({ hash }) => idIn(decoded(hash), actions) });
}

function idIn(name: string, actions: readonly string[]): string | undefined {
  const action = actions.find((one) => name.startsWith(`${one}-`));
  return action === undefined ? undefined : name.slice(action.length + 1);
}

/** Closes the dialog that the URL names, also if the page does not have it. */
export function closeDialog(router: AnyRouter): void {
  close(router, router.latestLocation.hash);
}

/** Whether the URL names a dialog of the page. */
export function isDialogOpen(router: AnyRouter): boolean {
  return hasDialog(router.latestLocation.hash);
}

/** Opens a dialog of the page. */
export function openDialog(router: AnyRouter, name: string): void {
  if (isNamed(router.latestLocation.hash, name)) return;
  void router.navigate({
    to: ".",
    search: true,
    hash: name,
    state: openedHere,
    ...STAY,
  });
}

/** The page behind a dialog stays where it is scrolled to. */
export const STAY = { resetScroll: false, hashScrollIntoView: false };

/** Marks an entry of the history behind which the same page is, without the dialog. */
function openedHere<State extends object>(state: State): State & { isOpenedHere: true } {
  return { ...state, isOpenedHere: true };
}

/** Whether `history.back()` was called: the browser goes back a moment later. */
let isLeaving = false;

function close(router: AnyRouter, name: string): void {
  const { hash, state } = router.latestLocation;
  // Something else was opened meanwhile, such as the page of a new resource.
  if (!isNamed(hash, name) || isLeaving) return;
  if ("isOpenedHere" in state) {
    isLeaving = true;
    addEventListener("popstate", () => void (isLeaving = false), { once: true });
    router.history.back();
  } else void router.navigate({ to: ".", search: true, hash: "", replace: true, ...STAY });
}

function isNamed(hash: string, name: string): boolean {
  return decoded(hash) === decoded(name);
}
