import { ArrowCounterClockwiseIcon, SquaresFourIcon } from "@phosphor-icons/react";
import { useSearch } from "@tanstack/react-router";

import { type AdminApp, adminAppsList, dropClientOverrides } from "../../api/operations.ts";
import { appCommand } from "../../components/commands.ts";
import { CopyText } from "../../components/copy.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { FilterField } from "../../components/filter-field.tsx";
import { OutsideLink } from "../../components/links.tsx";
import { ListTable } from "../../components/list-table.tsx";
import { dialogOf } from "../../components/opening.ts";
import { RowAction } from "../../components/row-action.tsx";
import { Section } from "../../components/section.tsx";
import { Status } from "../../components/status.tsx";
import type { Column } from "../../components/virtual-table.tsx";

const ROW_DIALOGS = ["drop"];

const STATES: Record<AdminApp["state"], { state: string; label: string }> = {
  ready: { state: "active", label: "ready" },
  needs_client: { state: "off", label: "needs a client" },
  needs_settings: { state: "off", label: "needs settings" },
};

const COLUMNS: Column<AdminApp>[] = [
  {
    id: "name",
    header: "App",
    width: "14rem",
    cell: ({ name, name_slug }) => (
      <span className="font-medium" title={name_slug}>
        {name}
      </span>
    ),
  },
  {
    id: "state",
    header: "State",
    width: "11rem",
    cell: ({ state }) => <Status {...STATES[state]} />,
  },
  {
    id: "redirect",
    header: "Redirect URI, for the provider",
    cell: ({ redirect_uri: uri }) =>
      uri === null ? "–" : <CopyText value={uri} what="redirect URI" />,
  },
  {
    id: "create",
    header: "Create a client at",
    width: "14rem",
    cell: ({ auth_type, guide }) =>
      auth_type === "oauth" && guide ? <OutsideLink url={guide.create_at ?? guide.docs} /> : "–",
  },
  { id: "own", header: "Own settings", width: "13rem", cell: (app) => <OwnSettings app={app} /> },
];

/** All apps, and which of them users can connect. */
export function AdminAppsPage() {
  const filter = useSearch({ from: "/shell/admin/apps" });
  return (
    <Section
      title="Apps"
      description="Users sign in to an app once it has an OAuth client; apps of one family share it."
    >
      <FilterField label="Filter apps" placeholder="Filter by name or slug" />
      <ListTable
        label="Apps"
        list={adminAppsList(filter)}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        dialogs={ROW_DIALOGS}
        minWidth="60rem"
        empty={
          <EmptyState
            icon={<SquaresFourIcon size={32} className="text-kumo-subtle" />}
            title={filter.q === undefined ? "No apps" : "No app matches"}
            sentence="Another app appears once a component of the registry names it, or you describe it:"
            command={appCommand()}
          />
        }
      />
    </Section>
  );
}

/** The fields that the operator set, and those that are stored with the client, which can be dropped. */
function OwnSettings({ app }: { app: AdminApp }) {
  const operatorSettings = app.settings.filter(({ origin }) => origin === "operator");
  const fields = operatorSettings.map(({ field }) => field).join(", ");
  return (
    <span className="flex min-w-0 items-center gap-1">
      <span className="truncate" title={fields}>
        {fields || "–"}
      </span>
      {app.client_overrides.length > 0 && <DropOverrides app={app} />}
    </span>
  );
}

function DropOverrides({ app: { id, name, client_app: client } }: { app: AdminApp }) {
  return (
    <RowAction
      name={dialogOf("drop", id)}
      label={`Use the app's settings for the client of ${name}`}
      icon={<ArrowCounterClockwiseIcon />}
      title={`Use the settings of ${name}?`}
      description={`The token URL and the authentication that are stored with the client of ${client} are dropped: those of the app apply from then on, also to other apps of its family.`}
      confirmLabel="Use the app's settings"
      run={() => dropClientOverrides(client)}
      done="The app's settings apply"
      changes={[["admin", "apps"]]}
    />
  );
}
