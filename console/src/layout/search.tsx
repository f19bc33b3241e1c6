import { Button, useSidebar } from "@cloudflare/kumo";
import { MagnifyingGlassIcon } from "@phosphor-icons/react";
import { useRouter } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useState } from "react";

import { openSearch, useSearchUrl } from "./search-url.ts";

const Palette = lazy(async () => ({
  default: (await import("./search-palette.tsx")).SearchPalette,
}));

/** The search over everything, while the URL names it. Ctrl+K and ⌘K open it. */
export function Search({ isOperator }: { isOperator: boolean }) {
  const { text, setText, close } = useSearchUrl();
  const router = useRouter();
  const isOpen = text !== undefined;
  // Each opening begins anew; the closing one keeps its text.
  const [{ opening, wasOpen, shown }, note] = useState({ opening: 0, wasOpen: false, shown: "" });
  if (isOpen !== wasOpen || (isOpen && text !== shown))
    note({
      opening: isOpen && !wasOpen ? opening + 1 : opening,
      wasOpen: isOpen,
      shown: text ?? shown,
    });
  useShortcut(() => openSearch(router));
  if (opening === 0) return null;
  return (
    <Suspense>
      <Palette
        key={opening}
        isOpen={isOpen}
        text={shown}
        setText={setText}
        onClose={close}
        isOperator={isOperator}
      />
    </Suspense>
  );
}

/** The button in the navigation that opens the search. */
export function SearchButton() {
  const router = useRouter();
  const { setOpenMobile } = useSidebar();
  const open = () => {
    setOpenMobile(false);
    openSearch(router);
  };
  return (
    <Button
      variant="outline"
      icon={<MagnifyingGlassIcon />}
      aria-keyshortcuts="Control+K Meta+K"
      className="w-full justify-start text-kumo-subtle"
      onClick={open}
    >
      Search
      <kbd className="ml-auto text-xs text-kumo-subtle">{SHORTCUT}</kbd>
    </Button>
  );
}

/** The button beside the brand at a phone's width. */
export function SearchIcon() {
  const router = useRouter();
  return (
    <Button
      variant="ghost"
      shape="square"
      className="ml-auto"
      icon={<MagnifyingGlassIcon />}
      aria-label="Search"
      onClick={() => openSearch(router)}
    />
  );
}

const SHORTCUT = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘K" : "Ctrl K";

function useShortcut(open: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      open();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });
}
