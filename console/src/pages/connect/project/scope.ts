import { useParams, useSearch } from "@tanstack/react-router";

import type { Scope } from "../../../api/connect.ts";

/** The shown project and environment. */
export function useScope(): Scope {
  const { project } = useParams({ from: "/shell/connect/$project" });
  const { env = "development" } = useSearch({ from: "/shell/connect/$project" });
  return { project, env };
}
