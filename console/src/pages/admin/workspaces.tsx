import { Button } from "@cloudflare/kumo";
import { PlusIcon, UsersThreeIcon } from "@phosphor-icons/react";
import { Link, useRouter, useSearch } from "@tanstack/react-router";

import {
  type AdminWorkspace,
  createWorkspace,
  type WorkspaceFields,
  workspacesList,
} from "../../api/admin.ts";
import { useAction } from "../../components/action.ts";
import { workspaceCommand } from "../../components/commands.ts";
import { CopyText } from "../../components/copy.tsx";
import { DialogButton } from "../../components/dialog-button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { FilterField } from "../../components/filter-field.tsx";
import { FormDialog } from "../../components/form.tsx";
import { formatNumber } from "../../components/format.ts";
import { LINK } from "../../components/links.tsx";
import { ListTable } from "../../components/list-table.tsx";
import { Section } from "../../components/section.tsx";
import { Time } from "../../components/time.tsx";
import type { Column } from "../../components/virtual-table.tsx";

const COLUMNS: Column<AdminWorkspace>[] = [
  {
    id: "name",
    header: "Workspace",
    cell: ({ id, name }) => (
      <Link to="/admin/workspaces/$id" params={{ id }} className={LINK}>
        {name}
      </Link>
    ),
  },
  { id: "email", header: "E-mail", cell: ({ email }) => email },
  { id: "plan", header: "Plan", width: "5rem", cell: ({ plan }) => plan },
  {
    id: "members",
    header: "Members",
    width: "6rem",
    align: "right",
    cell: ({ members }) => formatNumber(members),
  },
  {
    id: "sources",
    header: "Sources",
    width: "5.5rem",
    align: "right",
    cell: ({ sources }) => formatNumber(sources),
  },
  {
    id: "workflows",
    header: "Workflows",
    width: "6.5rem",
    align: "right",
    cell: ({ workflows }) => formatNumber(workflows),
  },
  { id: "id", header: "Id", width: "11rem", cell: ({ id }) => <CopyText value={id} /> },
  {
    id: "created",
    header: "Created",
    width: "8rem",
    cell: ({ created_at }) => <Time at={created_at * 1000} />,
  },
];

/** All workspaces. */
export function AdminWorkspacesPage() {
  const { q } = useSearch({ from: "/shell/admin/workspaces" });
  return (
    <Section title="Workspaces" actions={<NewWorkspace />}>
      <FilterField label="Filter workspaces" placeholder="Filter by name, e-mail or id" />
      <ListTable
        label="Workspaces"
        list={workspacesList(q === undefined ? {} : { q })}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        minWidth="58rem"
        empty={
          <EmptyState
            icon={<UsersThreeIcon size={32} className="text-kumo-subtle" />}
            title={q === undefined ? "No workspaces yet" : "No workspace matches"}
            sentence="Members of a workspace share sources, workflows and webhooks."
            command={workspaceCommand()}
            action={
              <DialogButton name="new" variant="primary" icon={<PlusIcon />}>
                New workspace
              </DialogButton>
            }
          />
        }
      />
    </Section>
  );
}

const PLANS: Record<WorkspaceFields["plan"], string> = {
  free: "Free",
  paid: "Paid",
  legacy: "Legacy",
};

function planOf(value: string | undefined): WorkspaceFields["plan"] {
  return value === "paid" || value === "legacy" ? value : "free";
}

function NewWorkspace() {
  const router = useRouter();
  const create = useAction({
    run: createWorkspace,
    done: "Workspace created",
    changes: [["admin", "workspaces", "list"]],
    isFailureShown: true,
  });
  return (
    <FormDialog
      name="new"
      trigger={
        <Button variant="primary" icon={<PlusIcon />}>
          New workspace
        </Button>
      }
      title="New workspace"
      fields={[
        { name: "name", label: "Name", isRequired: true },
        { name: "orgname", label: "Short name", isRequired: true, placeholder: "acme" },
        { name: "email", label: "E-mail", kind: "email", isRequired: true },
        { name: "plan", label: "Plan", kind: "select", options: PLANS, value: "free" },
      ]}
      submitLabel="Create workspace"
      onSubmit={async ({ name = "", orgname = "", email = "", plan }) => {
        const { id } = await create.mutateAsync({ name, orgname, email, plan: planOf(plan) });
        await router.navigate({ to: "/admin/workspaces/$id", params: { id }, replace: true });
      }}
    />
  );
}
