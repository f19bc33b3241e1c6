import { LightningIcon, RocketLaunchIcon } from "@phosphor-icons/react";
import { Link, useSearch } from "@tanstack/react-router";

import { readSources, type Source, sourceKeys } from "../../api/sources.ts";
import { Choice } from "../../components/choice.tsx";
import { CopyText } from "../../components/copy.tsx";
import { DataTable, usePages } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { FilterField } from "../../components/filter-field.tsx";
import { LinkButton } from "../../components/link-button.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { useSearchParam } from "../../components/search-param.ts";
import { Status } from "../../components/status.tsx";
import { Time } from "../../components/time.tsx";
import type { Column } from "../../components/virtual-table.tsx";
import { useOrg } from "../../layout/org.ts";
import { triggersOf } from "../source/triggers.ts";

const ACTIVITIES: { value: "" | "true" | "false"; label: string }[] = [
  { value: "", label: "All" },
  { value: "true", label: "Active" },
  { value: "false", label: "Paused" },
];

const COLUMNS: Column<Source>[] = [
  {
    id: "name",
    header: "Name",
    cell: ({ id, name }) => (
      <Link
        to="/sources/$sourceId"
        params={{ sourceId: id }}
        title={name}
        className="font-medium text-kumo-link hover:underline"
      >
        {name}
      </Link>
    ),
  },
  {
    id: "status",
    header: "Status",
    width: "7rem",
    cell: ({ active }) => <Status state={active ? "active" : "paused"} />,
  },
  {
    id: "triggers",
    header: "Runs on",
    width: "14rem",
    cell: ({ configured_props: props }) => (
      <span className="text-kumo-subtle">{triggersOf(props) || "–"}</span>
    ),
  },
  { id: "id", header: "Id", width: "12rem", cell: ({ id }) => <CopyText value={id} /> },
  {
    id: "updated",
    header: "Changed",
    width: "9rem",
    align: "right",
    cell: ({ updated_at: at }) => <Time at={at * 1000} />,
  },
];

/** All sources of the user or a workspace. */
export function SourcesPage() {
  const { q, active } = useSearch({ from: "/shell/sources" });
  const [, setActive] = useSearchParam("active");
  const org = useOrg();
  const filter = { ...(q !== undefined && { q }), ...(active !== undefined && { active }) };
  const pages = usePages(sourceKeys.list(org, filter), ({ signal, ...cursor }) =>
    readSources(org, { ...cursor, ...filter }, signal),
  );
  return (
    <>
      <PageHeader
        title="Sources"
        description="Deployed components that emit events."
        actions={
          <>
            <LinkButton to="/parked-events">Parked events</LinkButton>
            <LinkButton to="/deploy" variant="primary" icon={<RocketLaunchIcon />}>
              Deploy a source
            </LinkButton>
          </>
        }
      />
      <div className="mb-4 flex flex-wrap gap-3">
        <FilterField label="Filter sources" />
        <Choice
          label="Which sources"
          options={ACTIVITIES}
          value={active ?? ""}
          onChange={setActive}
        />
      </div>
      <DataTable
        label="Sources"
        columns={COLUMNS}
        pages={pages}
        rowKey={({ id }) => id}
        minWidth="58rem"
        empty={<NoSources isFiltered={q !== undefined || active !== undefined} />}
      />
    </>
  );
}

function NoSources({ isFiltered }: { isFiltered: boolean }) {
  const icon = <LightningIcon size={40} className="text-kumo-subtle" />;
  if (isFiltered)
    return (
      <EmptyState
        icon={icon}
        title="No source matches"
        sentence="Names and ids are searched, upper and lower case alike."
        action={<LinkButton to="/sources">Show all sources</LinkButton>}
      />
    );
  return (
    <EmptyState
      icon={icon}
      title="No sources yet"
      sentence="Deploy a component from the registry, or one of your own from a terminal."
      command="npx wellspring deploy examples/orders.js"
      action={
        <LinkButton to="/deploy" variant="primary">
          Deploy a source
        </LinkButton>
      }
    />
  );
}
