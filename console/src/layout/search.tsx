import { Button } from "@cloudflare/kumo";
import { MagnifyingGlassIcon } from "@phosphor-icons/react";
import { lazy, Suspense, useEffect, useState } from "react";

const Palette = lazy(async () => ({
  default: (await import("./search-palette.tsx")).SearchPalette,
}));

/** The button that opens the search over everything. Ctrl+K and ⌘K open it, too. */
export function Search({ isOperator }: { isOperator: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const [wasOpen, setWasOpen] = useState(false);
  const change = (open: boolean) => {
    if (open) setWasOpen(true);
    setOpen(open);
  };
  useShortcut(() => change(true));
  return (
    <>
      <Button
        variant="outline"
        icon={<MagnifyingGlassIcon />}
        aria-keyshortcuts="Control+K Meta+K"
        className="w-full justify-start text-kumo-subtle"
        onClick={() => change(true)}
      >
        Search
        <kbd className="ml-auto text-xs text-kumo-subtle">{SHORTCUT}</kbd>
      </Button>
      {wasOpen && (
        <Suspense>
          <Palette isOpen={isOpen} setOpen={change} isOperator={isOperator} />
        </Suspense>
      )}
    </>
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
