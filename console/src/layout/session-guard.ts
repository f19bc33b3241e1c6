import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";

import { sessionQuery } from "../api/queries.ts";

/** Notices an end of the session within this time, also where nothing else is read. */
const REFRESH_MS = 60_000;

/** Leads to the sign-in page once the session has ended, and from there back to where the person was. */
export function useSessionGuard(): void {
  const router = useRouter();
  const { data: session } = useQuery({ ...sessionQuery, refetchInterval: REFRESH_MS });
  useEffect(() => {
    if (session !== null) return;
    const { publicHref } = router.latestLocation;
    void router.navigate({ to: "/sign-in", search: { next: publicHref, expired: true } });
  }, [session, router]);
}
