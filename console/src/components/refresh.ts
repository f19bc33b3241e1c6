import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent } from "react";

/** Refetches queries at intervals while the page is visible. */
export function useRefresh(queryKey: QueryKey, intervalMs: number): void {
  const client = useQueryClient();
  const refresh = useEffectEvent(() => {
    if (!document.hidden) void client.invalidateQueries({ queryKey });
  });
  useEffect(() => {
    const timer = setInterval(() => refresh(), intervalMs);
    return () => clearInterval(timer);
  }, [intervalMs]);
}
