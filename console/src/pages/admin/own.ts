import { useQuery } from "@tanstack/react-query";
import { useRouteContext } from "@tanstack/react-router";

import { workspacesQuery } from "../../api/queries.ts";

/** Returns whether an owner's resources are the operator's own, who may be signed in as a user, too. */
export function useIsOwn(): (ownerId: string) => boolean {
  const { session } = useRouteContext({ from: "/shell" });
  const { data: workspaces = [] } = useQuery({
    ...workspacesQuery,
    enabled: session.user !== null,
  });
  const own = new Set([session.user?.id, ...workspaces.map(({ id }) => id)]);
  return (ownerId) => own.has(ownerId);
}
