import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";

import { sessionQuery } from "../api/queries.ts";

/** Detects the end of the session within this time, even without other requests. */
const REFRESH_MS = 60_000;

/** Redirects to the sign-in page once the session has ended, and after the sign-in back to the same page. */
export function useSessionGuard(): void {
  const router = useRouter();
  const { data: session } = useQuery({ ...sessionQuery, refetchInterval: REFRESH_MS });
  useEffect(() => {
    if (session !== null) return;
    const { publicHref } = router.latestLocation;
    void router.navigate({ to: "/sign-in", search: { next: publicHref, expired: true } });
  }, [session, router]);
}
