import { Banner } from "@cloudflare/kumo";
import { PlugsIcon } from "@phosphor-icons/react";
import { useSyncExternalStore } from "react";

/** A banner while the browser is offline. */
export function OfflineBanner() {
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine);
  return (
    <div aria-live="polite">
      {!isOnline && (
        <Banner
          className="mb-4"
          variant="alert"
          size="sm"
          icon={<PlugsIcon weight="fill" />}
          title="You are offline. The data shown may be old; it is reloaded once the connection is back."
        />
      )}
    </div>
  );
}

function subscribe(onChange: () => void): () => void {
  addEventListener("online", onChange);
  addEventListener("offline", onChange);
  return () => {
    removeEventListener("online", onChange);
    removeEventListener("offline", onChange);
  };
}
