import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";

import { recoverFocus } from "../components/focus.ts";

/** Keeps the keyboard's place when another page is shown: a link of the page before may be gone. */
export function usePageFocus(): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe("onRendered", ({ fromLocation, pathChanged }) => {
        // The first Tab after a page was loaded, or somebody signed in, leads to the link that skips the navigation.
        if (pathChanged && fromLocation && fromLocation.pathname !== "/sign-in") recoverFocus(0);
      }),
    [router],
  );
}
