import { queryOptions } from "@tanstack/react-query";
import type { components } from "@wellspring/client";

import { api } from "../../api/client.ts";
import type { Schema } from "../../json/schema.ts";

export type Workflow = components["schemas"]["Workflow"];
export type WorkflowRun = components["schemas"]["WorkflowRun"];
export type RunDetails = components["schemas"]["RunDetails"];
export type StepExecution = RunDetails["steps"][number];
export type WorkflowVersion = components["schemas"]["WorkflowVersionSummary"];

const RUNS_REFRESH_MS = 3000;

const RUN_REFRESH_MS = 1000;

const MAX_RUNS = 100;

const MAX_VERSIONS = 100;

const ENDED = new Set(["succeeded", "failed", "cancelled"]);

/** Whether a run has ended. */
export function hasEnded({ state }: Pick<WorkflowRun, "state">): boolean {
  return ENDED.has(state);
}

export function workflowQuery(id: string) {
  return queryOptions({
    queryKey: ["workflows", id],
    queryFn: async ({ signal }) =>
      (await api.get("/workflows/{id}", { params: { path: { id } }, signal })).data,
  });
}

/** The newest runs, or those after a cursor. The newest are refetched at intervals. */
export function runsQuery(id: string, after: string | undefined) {
  return queryOptions({
    queryKey: ["workflows", id, "runs", after ?? ""],
    queryFn: ({ signal }) =>
      api.get("/workflows/{id}/runs", {
        params: {
          path: { id },
          query: { limit: MAX_RUNS, ...(after !== undefined && { after }) },
        },
        signal,
      }),
    ...(after === undefined && { refetchInterval: RUNS_REFRESH_MS }),
  });
}

/** One run, refetched until it has ended. */
export function runQuery(id: string, run: string) {
  return queryOptions({
    queryKey: ["workflows", id, "runs", "one", run],
    queryFn: async ({ signal }) =>
      (await api.get("/workflows/{id}/runs/{run}", { params: { path: { id, run } }, signal })).data,
    refetchInterval: ({ state: { data } }) => (data && hasEnded(data) ? false : RUN_REFRESH_MS),
  });
}

export function versionsQuery(id: string) {
  return queryOptions({
    queryKey: ["workflows", id, "versions"],
    queryFn: async ({ signal }) =>
      (
        await api.get("/workflows/{id}/versions", {
          params: { path: { id }, query: { limit: MAX_VERSIONS } },
          signal,
        })
      ).data,
  });
}

export function diffQuery(id: string, from: number, to: number) {
  return queryOptions({
    queryKey: ["workflows", id, "diff", from, to],
    queryFn: async ({ signal }) =>
      (
        await api.get("/workflows/{id}/diff", {
          params: { path: { id }, query: { from, to } },
          signal,
        })
      ).data,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The JSON Schema of workflows, which every platform serves. */
export const workflowSchemaQuery = queryOptions({
  queryKey: ["schema", "workflow"],
  queryFn: async ({ signal }) => {
    const response = await fetch("/schemas/workflow.json", { signal });
    if (!response.ok) throw new Error(`The schema of workflows: HTTP ${response.status}`);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the platform that served this page wrote it.
    return (await response.json()) as Schema;
  },
  staleTime: Number.POSITIVE_INFINITY,
});
