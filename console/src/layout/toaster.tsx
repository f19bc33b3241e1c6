import { lazy, Suspense, useEffect, useState } from "react";

import { hasToasts, onToast } from "../components/toasts.ts";

// Loaded with the first toast: a user who only reads gets none.
const Toasts = lazy(async () => ({ default: (await import("./toasts.tsx")).Toasts }));

/** Shows toasts over the page. */
export function Toaster() {
  const [isWanted, setWanted] = useState(hasToasts);
  useEffect(() => onToast(() => setWanted(true)), []);
  return isWanted ? (
    <Suspense>
      <Toasts />
    </Suspense>
  ) : null;
}
