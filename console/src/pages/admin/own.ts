import { useQuery } from "@tanstack/react-query";
import { useRouteContext } from "@tanstack/react-router";

import { workspacesQuery } from "../../api/queries.ts";

/** Tells whether resources of an owner are shown to the operator, who may be signed in as a user, too. */
export function useIsOwn(): (ownerId: string) => boolean {
  const { session } = useRouteContext({ from: "/shell" });
  const { data: workspaces = [] } = useQuery({
    ...workspacesQuery,
    enabled: session.user !== null,
  });
  const own = new Set([session.user?.id, ...workspaces.map(({ id }) => id)]);
  return (ownerId) => own.has(ownerId);
}
