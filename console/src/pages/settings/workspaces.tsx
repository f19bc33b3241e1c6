import { UsersThreeIcon } from "@phosphor-icons/react";
import { Link } from "@tanstack/react-router";

import { type Workspace, workspacesList } from "../../api/account.ts";
import { workspaceCommand } from "../../components/commands.ts";
import { CopyText } from "../../components/copy.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { formatCompact } from "../../components/format.ts";
import { LINK } from "../../components/links.tsx";
import { ListTable } from "../../components/list-table.tsx";
import { Section } from "../../components/section.tsx";
import type { Column } from "../../components/virtual-table.tsx";

const COLUMNS: Column<Workspace>[] = [
  {
    id: "name",
    header: "Workspace",
    cell: ({ id, name }) => (
      <Link to="/settings/workspaces/$id" params={{ id }} className={LINK}>
        {name}
      </Link>
    ),
  },
  { id: "orgname", header: "Short name", cell: ({ orgname }) => orgname },
  { id: "id", header: "Id", cell: ({ id }) => <CopyText value={id} /> },
  {
    id: "credits",
    header: "Credits today",
    align: "right",
    width: "11rem",
    cell: ({ daily_credits_used: used, daily_credits_quota: quota }) =>
      quota === 0 ? formatCompact(used) : `${formatCompact(used)} of ${formatCompact(quota)}`,
  },
];

/** The workspaces that the user is a member of. */
export function WorkspacesPage() {
  return (
    <Section title="Workspaces" description="Their members share sources, workflows and webhooks.">
      <ListTable
        label="Workspaces"
        list={workspacesList}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        empty={
          <EmptyState
            icon={<UsersThreeIcon size={32} className="text-kumo-subtle" />}
            title="You are in no workspace"
            sentence="An operator of the platform creates workspaces and adds members."
            command={workspaceCommand()}
          />
        }
      />
    </Section>
  );
}
