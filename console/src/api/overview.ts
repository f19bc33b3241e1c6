import { queryOptions } from "@tanstack/react-query";

import { v1 } from "./v1.ts";

/** The counters of an hour. */
export type Counts = {
  runs: number;
  failures: number;
  events: number;
  deliveries: number;
  failed_deliveries: number;
};

/** An issue that needs a person. */
export type Attention = {
  kind: string;
  severity: "error" | "warning";
  resource_type: "source" | "workflow" | "webhook" | "account" | "user" | "workspace";
  resource_id: string;
  name: string | null;
  message: string;
  /** Epoch seconds. */
  since: number | null;
  next: { label: string; action: string };
};

export type Overview = {
  /** Epoch seconds. */
  from: number;
  to: number;
  interval_seconds: number;
  series: (Counts & { at: number })[];
  totals: Counts & { before: Counts };
  counts: { sources: number; workflows: number; webhooks: number; accounts: number };
  attention: Attention[];
};

const REFRESH_MS = 30_000;

/** The activity of the last hours, and issues that need attention; of a workspace, or of all resources of the user. */
export function overviewQuery(hours: number, org: string | undefined) {
  return queryOptions({
    queryKey: ["overview", hours, org],
    queryFn: async ({ signal }) =>
      (await v1<{ data: Overview }>("/overview", { query: { hours, org_id: org }, signal })).data,
    refetchInterval: REFRESH_MS,
    staleTime: REFRESH_MS,
  });
}
