import { useQuery } from "@tanstack/react-query";
import { useLocation, useRouter } from "@tanstack/react-router";
import { lazy, Suspense } from "react";

import { workspacesQuery } from "../api/queries.ts";
import { useOrg } from "./org.ts";

// Loaded where there is a choice: most people have one owner, and wait for less.
const WorkspaceSelect = lazy(async () => ({
  default: (await import("./workspace-select.tsx")).WorkspaceSelect,
}));

/** No id of a workspace: the user's own resources. */
const PERSONAL = "personal";

/** Chooses whose resources are shown: the user's own, or those of a workspace. Absent where there is no choice. */
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
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- undefined, which takes it out of the URL, is not in its type.
    void router.navigate({ to: section, search: { org: next } as { org: string } });
  };
  return (
    <Suspense>
      <WorkspaceSelect items={items} value={org ?? PERSONAL} onChoose={choose} />
    </Suspense>
  );
}
