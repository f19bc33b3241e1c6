import { useParams, useSearch } from "@tanstack/react-router";

import type { Scope } from "../../../api/connect.ts";

/** The project and the environment of it that are shown. */
export function useScope(): Scope {
  const { project } = useParams({ from: "/shell/connect/$project" });
  const { env = "development" } = useSearch({ from: "/shell/connect/$project" });
  return { project, env };
}
