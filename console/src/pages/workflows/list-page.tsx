import { Select } from "@cloudflare/kumo";
import { PlusIcon } from "@phosphor-icons/react";
import { Link, useSearch } from "@tanstack/react-router";

import { api } from "../../api/client.ts";
import { DataTable, type ReadPage, usePages } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { FilterField } from "../../components/filter-field.tsx";
import { LinkButton } from "../../components/link-button.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { useSearchParam } from "../../components/search-param.ts";
import { Status } from "../../components/status.tsx";
import { Time } from "../../components/time.tsx";
import type { Workflow } from "./queries.ts";
import { describeTrigger } from "./trigger.ts";

const STATES = { all: "Active and paused", active: "Active", paused: "Paused" };

/** The workflows of the user, or of a workspace. */
export function WorkflowListPage() {
  const search = useSearch({ from: "/shell/workflows" });
  const [chosen, choose] = useSearchParam("state");
  const { q, state, org } = search;
  const pages = usePages(["workflows", "list", org, q, state], readWorkflows(search));
  const isFiltered = q !== undefined || state !== undefined;
  return (
    <>
      <PageHeader
        title="Workflows"
        description="Steps that run in sequence, on an event."
        actions={
          <LinkButton to="/workflows/new" variant="primary" icon={<PlusIcon />}>
            New workflow
          </LinkButton>
        }
      />
      <div className="mb-4 flex flex-wrap gap-2">
        <FilterField label="Filter workflows" />
        <Select<string>
          aria-label="State"
          value={chosen === "" ? "all" : chosen}
          onValueChange={(next) => choose(next === "all" || next === null ? "" : next)}
          items={STATES}
        />
      </div>
      <DataTable
        label="Workflows"
        columns={COLUMNS}
        pages={pages}
        rowKey={({ id }) => id}
        empty={isFiltered ? NO_MATCH : NONE}
      />
    </>
  );
}

const NO_MATCH = (
  <EmptyState
    title="No workflow matches"
    sentence="Try a part of its name or id, or another state."
    action={<LinkButton to="/workflows">Show all workflows</LinkButton>}
  />
);

const NONE = (
  <EmptyState
    title="No workflows yet"
    sentence="Create one from a template here, or deploy the files of a folder."
    command="npm run workflows:deploy -- --folder workflows"
    action={
      <LinkButton to="/workflows/new" variant="primary">
        New workflow
      </LinkButton>
    }
  />
);

const COLUMNS = [
  {
    id: "name",
    header: "Name",
    cell: ({ id, name }: Workflow) => (
      <Link
        to="/workflows/$id"
        params={{ id }}
        className="font-medium text-kumo-default hover:underline"
      >
        {name}
      </Link>
    ),
  },
  {
    id: "state",
    header: "State",
    width: "8rem",
    cell: ({ active }: Workflow) => <Status state={active ? "active" : "paused"} />,
  },
  {
    id: "trigger",
    header: "Trigger",
    cell: ({ trigger }: Workflow) => describeTrigger(trigger),
  },
  {
    id: "steps",
    header: "Steps",
    width: "5rem",
    align: "right" as const,
    cell: ({ steps }: Workflow) => steps.length,
  },
  {
    id: "updated",
    header: "Changed",
    width: "9rem",
    cell: ({ updated_at: at }: Workflow) => <Time at={at * 1000} />,
  },
];

function readWorkflows({
  org,
  q,
  state,
}: {
  org?: string;
  q?: string;
  state?: string;
}): ReadPage<Workflow> {
  return ({ signal, ...cursor }) => {
    const query = { ...cursor, ...filters(q, state) };
    return org === undefined
      ? api.get("/workflows", { params: { query }, signal })
      : api.get("/workspaces/{id}/workflows", { params: { path: { id: org }, query }, signal });
  };
}

function filters(q: string | undefined, state: string | undefined) {
  return {
    ...(q !== undefined && { q }),
    ...(state !== undefined && { active: state === "active" }),
  };
}
