import { useQuery } from "@tanstack/react-query";
import { useLocation, useRouter } from "@tanstack/react-router";
import { lazy, Suspense } from "react";

import { workspacesQuery } from "../api/queries.ts";
import { useOrg } from "./org.ts";

// Loaded only if there is a choice: most users have one owner, and load less.
const WorkspaceSelect = lazy(async () => ({
  default: (await import("./workspace-select.tsx")).WorkspaceSelect,
}));

/** Not the id of a workspace: the user's own resources. */
const PERSONAL = "personal";

/** Chooses the owner of the shown resources: the user or a workspace. Absent without a choice. */
export function WorkspaceSwitcher() {
  const { data: workspaces = [] } = useQuery(workspacesQuery);
  const router = useRouter();
  const { pathname } = useLocation();
  const org = useOrg();
  if (workspaces.length === 0 && org === undefined) return null;
  const items = Object.fromEntries([
    [PERSONAL, "Personal"],
    ...workspaces.map(({ id, name, orgname }): [string, string] => [id, name || orgname]),
  ]);
  const choose = (chosen: string | null) => {
    // The open page belongs to one owner, so the section's first page is shown.
    const section = `/${pathname.split("/")[1] ?? ""}`;
    const next = chosen === null || chosen === PERSONAL ? undefined : chosen;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- undefined, which removes it from the URL, is not in its type.
    void router.navigate({ to: section, search: { org: next } as { org: string } });
  };
  return (
    <Suspense>
      <WorkspaceSelect items={items} value={org ?? PERSONAL} onChoose={choose} />
    </Suspense>
  );
}
