import { Banner } from "@cloudflare/kumo";
import { WarningIcon } from "@phosphor-icons/react";
import { useSuspenseQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";

import {
  type ComponentState,
  type ImportedComponent,
  importedComponentsList,
  importQuery,
} from "../../api/operations.ts";
import { ChoiceLinks } from "../../components/choice-links.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { formatNumber } from "../../components/format.ts";
import { LinkButton } from "../../components/link-button.tsx";
import { LINK } from "../../components/links.tsx";
import { ListTable } from "../../components/list-table.tsx";
import { OwnerLink } from "../../components/owner-link.tsx";
import { Facts, Section } from "../../components/section.tsx";
import { Status } from "../../components/status.tsx";
import { Time } from "../../components/time.tsx";
import type { Column } from "../../components/virtual-table.tsx";
import { ImportState } from "./imports.tsx";

const STATES: ComponentState[] = ["waiting", "published", "unchanged", "refused", "failed"];

const COLUMNS: Column<ImportedComponent>[] = [
  {
    id: "state",
    header: "State",
    width: "8.5rem",
    cell: ({ state }) => <Status state={state} />,
  },
  { id: "key", header: "Key", cell: ({ key, path }) => key ?? path },
  { id: "version", header: "Version", width: "6rem", cell: ({ version }) => version ?? "–" },
  {
    id: "message",
    header: "Message",
    width: "45%",
    cell: ({ message }) => <span title={message ?? undefined}>{message ?? "–"}</span>,
  },
];

/** One import: its progress, and the outcome of each component. */
export function ImportPage() {
  const { id } = useParams({ from: "/shell/admin/imports/$id" });
  const { state: wanted } = useSearch({ from: "/shell/admin/imports/$id" });
  const { data } = useSuspenseQuery(importQuery(id));
  const state = STATES.find((name) => name === wanted);
  const { counts } = data;
  const total = state === undefined ? data.total : (counts[state] ?? 0);
  return (
    <>
      <Section
        title={`Import ${id}`}
        actions={
          <Link to="/admin/imports" className={LINK}>
            All imports
          </Link>
        }
      >
        {data.error !== null && (
          <Banner variant="error" icon={<WarningIcon weight="fill" />} title={data.error} />
        )}
        <Facts
          facts={[
            ["State", <ImportState key="state" state={data.state} />],
            ["Archive", data.archive_url ?? "uploaded"],
            ["Registry of", <OwnerLink key="owner" id={data.owner_id} />],
            ["Components", formatNumber(data.total)],
            ["Begun", <Time key="begun" at={data.created_at * 1000} />],
            ["Changed", <Time key="changed" at={data.updated_at * 1000} />],
          ]}
        />
      </Section>
      <Section title="Components">
        <div className="flex">
          <ChoiceLinks
            label="State of components"
            name="state"
            choices={[
              ["", `All ${formatNumber(data.total)}`],
              ...STATES.map((name): [string, string] => [
                name,
                `${name} ${formatNumber(counts[name] ?? 0)}`,
              ]),
            ]}
          />
        </div>
        <ListTable
          label="Components"
          list={importedComponentsList(id, { total, ...(state === undefined ? {} : { state }) })}
          columns={COLUMNS}
          rowKey={({ number }) => String(number)}
          empty={
            <EmptyState
              title="No component is in this state"
              action={<LinkButton to={`/admin/imports/${id}`}>Show all states</LinkButton>}
            />
          }
        />
      </Section>
    </>
  );
}
