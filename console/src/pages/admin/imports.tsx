import { Button } from "@cloudflare/kumo";
import { DownloadSimpleIcon, PackageIcon } from "@phosphor-icons/react";
import { Link, useRouter } from "@tanstack/react-router";

import { importComponents, importsList, type ImportSummary } from "../../api/operations.ts";
import { useAction } from "../../components/action.ts";
import { DialogButton } from "../../components/dialog-button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { FormDialog } from "../../components/form.tsx";
import { LINK } from "../../components/links.tsx";
import { ListTable } from "../../components/list-table.tsx";
import { useRefresh } from "../../components/refresh.ts";
import { Section } from "../../components/section.tsx";
import { Status } from "../../components/status.tsx";
import { Time } from "../../components/time.tsx";
import type { Column } from "../../components/virtual-table.tsx";

const REFRESH_MS = 10_000;

const COLUMNS: Column<ImportSummary>[] = [
  {
    id: "id",
    header: "Import",
    width: "16rem",
    cell: ({ id }) => (
      <Link to="/admin/imports/$id" params={{ id }} className={`${LINK} font-mono text-sm`}>
        {id}
      </Link>
    ),
  },
  {
    id: "state",
    header: "State",
    width: "10rem",
    cell: ({ state }) => <ImportState state={state} />,
  },
  {
    id: "from",
    header: "Archive",
    cell: ({ archive_url }) => (
      <span title={archive_url ?? undefined}>{archive_url ?? "uploaded"}</span>
    ),
  },
  {
    id: "error",
    header: "Error",
    cell: ({ error }) => <span title={error ?? undefined}>{error ?? "–"}</span>,
  },
  {
    id: "created",
    header: "Begun",
    width: "8rem",
    cell: ({ created_at }) => <Time at={created_at * 1000} />,
  },
];

/** The progress of an import. */
export function ImportState({ state }: { state: ImportSummary["state"] }) {
  if (state === "ended") return <Status state="finished" label="ended" />;
  if (state === "awaiting_archive") return <Status state="waiting" label="awaits its archive" />;
  return <Status state={state} />;
}

/** The imports of collections of components into the global registry. */
export function ImportsPage() {
  const list = importsList();
  useRefresh(list.queryKey, REFRESH_MS);
  return (
    <Section
      title="Imports"
      description="Collections of components that become part of the registry."
      actions={<NewImport />}
    >
      <ListTable
        label="Imports"
        list={list}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        minWidth="56rem"
        empty={
          <EmptyState
            icon={<PackageIcon size={32} className="text-kumo-subtle" />}
            title="No imports yet"
            sentence="Import an archive by its URL here, or a folder from a terminal."
            command="npm run registry:import -- ./components"
            action={
              <DialogButton name="new" variant="primary" icon={<DownloadSimpleIcon />}>
                New import
              </DialogButton>
            }
          />
        }
      />
    </Section>
  );
}

function NewImport() {
  const router = useRouter();
  const start = useAction({
    run: importComponents,
    done: "Import begun",
    changes: [["admin", "imports", "list"]],
    isFailureShown: true,
  });
  return (
    <FormDialog
      name="new"
      trigger={
        <Button variant="primary" icon={<DownloadSimpleIcon />}>
          New import
        </Button>
      }
      title="Import components"
      fields={[
        {
          name: "url",
          label: "URL of the archive (.tar.gz)",
          kind: "url",
          isRequired: true,
          placeholder: "https://example.com/components.tar.gz",
        },
      ]}
      submitLabel="Import"
      onSubmit={async ({ url = "" }) => {
        const { id } = await start.mutateAsync(url);
        await router.navigate({ to: "/admin/imports/$id", params: { id }, replace: true });
      }}
    />
  );
}
