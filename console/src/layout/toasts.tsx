import { Toasty, useKumoToastManager } from "@cloudflare/kumo";
import { useEffect } from "react";

import { onToast, takeToasts } from "../components/toasts.ts";

/** The toasts of the library, with the console's messages. */
export function Toasts() {
  return (
    <Toasty>
      <Feed />
    </Toasty>
  );
}

function Feed() {
  const { add } = useKumoToastManager();
  useEffect(() => {
    const show = () => {
      for (const toast of takeToasts()) add(toast);
    };
    show();
    return onToast(show);
  }, [add]);
  return null;
}
