import { Button } from "@cloudflare/kumo";
import { PlugsConnectedIcon, PlusIcon } from "@phosphor-icons/react";
import { Link, useRouter, useSearch } from "@tanstack/react-router";

import {
  createProject,
  type Project,
  type ProjectFields,
  projectsList,
} from "../../api/connect.ts";
import { useAction } from "../../components/action.ts";
import { apiCommand } from "../../components/commands.ts";
import { CopyText } from "../../components/copy.tsx";
import { DialogButton } from "../../components/dialog-button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { FilterField } from "../../components/filter-field.tsx";
import { FormDialog } from "../../components/form.tsx";
import { LinkButton } from "../../components/link-button.tsx";
import { LINK } from "../../components/links.tsx";
import { ListTable } from "../../components/list-table.tsx";
import type { Column } from "../../components/virtual-table.tsx";
import { useOrg } from "../../layout/org.ts";
import { projectFields, projectOf } from "./project-fields.ts";

const COLUMNS: Column<Project>[] = [
  {
    id: "name",
    header: "Project",
    cell: ({ id, name }) => (
      <Link to="/connect/$project" params={{ project: id }} className={LINK}>
        {name}
      </Link>
    ),
  },
  { id: "product", header: "Product", cell: ({ app_name }) => app_name ?? "–" },
  { id: "email", header: "Support e-mail", cell: ({ support_email }) => support_email ?? "–" },
  { id: "id", header: "Id", width: "14rem", cell: ({ id }) => <CopyText value={id} /> },
];

/** The projects of the user and of the user's workspaces. */
export function ProjectsPage() {
  const filter = useSearch({ from: "/shell/connect/" });
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <FilterField label="Filter projects" placeholder="Filter by name" />
        <NewProject />
      </div>
      <ListTable
        label="Projects"
        list={projectsList(filter)}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        empty={
          filter.q === undefined ? (
            <NoProjects />
          ) : (
            <EmptyState
              title="No project matches"
              sentence="A part of the name is enough."
              action={<LinkButton to="/connect">Show all projects</LinkButton>}
            />
          )
        }
      />
    </>
  );
}

function NewProject() {
  const org = useOrg();
  const router = useRouter();
  const create = useAction({
    run: (fields: ProjectFields) => createProject(fields, org),
    done: "Project created",
    changes: [["connect", "projects", "list"]],
    isFailureShown: true,
  });
  return (
    <FormDialog
      name="new"
      trigger={
        <Button variant="primary" icon={<PlusIcon />}>
          New project
        </Button>
      }
      title="New project"
      fields={projectFields()}
      submitLabel="Create project"
      onSubmit={async (values) => {
        const { id } = await create.mutateAsync(projectOf(values));
        await router.navigate({ to: "/connect/$project", params: { project: id }, replace: true });
      }}
    />
  );
}

function NoProjects() {
  return (
    <EmptyState
      icon={<PlugsConnectedIcon size={32} className="text-kumo-subtle" />}
      title="No projects yet"
      sentence="A project holds the users of one product, in development and in production."
      command={apiCommand("POST", "/connect/projects", { name: "Shop" })}
      action={
        <DialogButton name="new" variant="primary" icon={<PlusIcon />}>
          New project
        </DialogButton>
      }
    />
  );
}
