import { WellspringError } from "@wellspring/client";

import { isObject } from "./spec.ts";

const PREFIX = "configured_props.";

/** Errors of the API by prop. */
export function apiProblems(error: unknown): Record<string, string> {
  const problems: Record<string, string> = {};
  for (const { path, message } of issuesOf(error)) {
    if (!path.startsWith(PREFIX)) continue;
    const [name = ""] = path.slice(PREFIX.length).split(".");
    problems[name] ??= message;
  }
  return problems;
}

/** The fields in a failure, and their violated rules. */
export function issuesOf(error: unknown): { path: string; message: string }[] {
  if (!(error instanceof WellspringError)) return [];
  const issues = error.details?.["issues"];
  if (!Array.isArray(issues)) return [];
  return issues.flatMap((issue: unknown) => {
    if (!isObject(issue)) return [];
    const { path, message } = issue;
    return typeof path === "string" && typeof message === "string" ? [{ path, message }] : [];
  });
}
