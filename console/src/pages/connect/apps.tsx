import { SquaresFourIcon } from "@phosphor-icons/react";
import { useSearch } from "@tanstack/react-router";

import { type App, appsList } from "../../api/connect.ts";
import { appCommand } from "../../components/commands.ts";
import { CopyText } from "../../components/copy.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { FilterField } from "../../components/filter-field.tsx";
import { ListTable } from "../../components/list-table.tsx";
import type { Column } from "../../components/virtual-table.tsx";

const AUTHENTICATION: Record<App["auth_type"], string> = {
  keys: "Keys",
  oauth: "OAuth",
  none: "None",
};

const COLUMNS: Column<App>[] = [
  {
    id: "name",
    header: "App",
    width: "14rem",
    cell: ({ name }) => <span className="font-medium">{name}</span>,
  },
  {
    id: "slug",
    header: "Slug",
    width: "12rem",
    cell: ({ name_slug }) => <CopyText value={name_slug} what="slug" />,
  },
  {
    id: "auth",
    header: "Signs in by",
    width: "8rem",
    cell: ({ auth_type }) => AUTHENTICATION[auth_type],
  },
  {
    id: "description",
    header: "Description",
    cell: ({ description }) => <span title={description}>{description}</span>,
  },
];

/** The apps that accounts can be connected for. */
export function AppsPage() {
  const filter = useSearch({ from: "/shell/connect/apps" });
  return (
    <>
      <div className="mb-4">
        <FilterField label="Filter apps" placeholder="Filter by name or slug" />
      </div>
      <ListTable
        label="Apps"
        list={appsList(filter)}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        minWidth="48rem"
        empty={
          <EmptyState
            icon={<SquaresFourIcon size={32} className="text-kumo-subtle" />}
            title={filter.q === undefined ? "No apps yet" : "No app matches"}
            sentence="Another app appears once a component of the registry names it, or an operator describes it."
            command={appCommand()}
          />
        }
      />
    </>
  );
}
