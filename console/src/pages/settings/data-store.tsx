import { Button } from "@cloudflare/kumo";
import { DatabaseIcon, TrashIcon } from "@phosphor-icons/react";
import { useSuspenseQuery } from "@tanstack/react-query";
import { Link, useParams, useRouter, useSearch } from "@tanstack/react-router";

import {
  type DataStore,
  dataStoreQuery,
  deleteDataStore,
  deleteRecord,
  recordsList,
  type StoredRecord,
} from "../../api/data-stores.ts";
import { useAction } from "../../components/action.ts";
import { apiCommand } from "../../components/commands.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { CopyText } from "../../components/copy.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { LINK } from "../../components/links.tsx";
import { ListTable } from "../../components/list-table.tsx";
import { dialogOf } from "../../components/opening.ts";
import { RowAction } from "../../components/row-action.tsx";
import { Section } from "../../components/section.tsx";
import { Time } from "../../components/time.tsx";
import type { Column } from "../../components/virtual-table.tsx";
import { NewRecord, RecordSection } from "./record.tsx";

const ROW_DIALOGS = ["delete"];

function columnsOf(id: string): Column<StoredRecord>[] {
  return [
    {
      id: "key",
      header: "Key",
      cell: ({ key }) => (
        <Link
          to="/settings/data-stores/$id"
          params={{ id }}
          search={{ key }}
          className={`${LINK} font-mono text-sm`}
        >
          {key}
        </Link>
      ),
    },
    {
      id: "value",
      header: "Value",
      cell: ({ value }) => <code className="text-sm">{JSON.stringify(value)?.slice(0, 200)}</code>,
    },
    {
      id: "updated",
      header: "Changed",
      width: "8rem",
      cell: ({ updated_at_ms }) => <Time at={updated_at_ms} />,
    },
    {
      id: "expires",
      header: "Ends",
      width: "8rem",
      cell: ({ expires_at_ms }) => (expires_at_ms === null ? "–" : <Time at={expires_at_ms} />),
    },
    {
      id: "delete",
      header: "Delete",
      width: "5rem",
      cell: ({ key }) => <DeleteRecord id={id} recordKey={key} />,
    },
  ];
}

/** One data store and its records. */
export function DataStorePage() {
  const { id } = useParams({ from: "/shell/settings/data-stores/$id" });
  const { key } = useSearch({ from: "/shell/settings/data-stores/$id" });
  const { data: store } = useSuspenseQuery(dataStoreQuery(id));
  return (
    <>
      <Section
        title={store.name}
        description={
          <span className="flex flex-wrap items-center gap-3">
            <Link to="/settings/data-stores" className={LINK}>
              All data stores
            </Link>
            <CopyText value={id} />
          </span>
        }
        actions={
          <>
            <NewRecord id={id} />
            <DeleteStore store={store} />
          </>
        }
      >
        <ListTable
          label="Records"
          list={recordsList(id)}
          columns={columnsOf(id)}
          rowKey={(record) => record.key}
          dialogs={ROW_DIALOGS}
          minWidth="48rem"
          empty={
            <EmptyState
              icon={<DatabaseIcon size={32} className="text-kumo-subtle" />}
              title="No records yet"
              sentence="Components write them, or you do."
              command={apiCommand("PUT", `/data_stores/${id}/records/greeting`, {
                value: "hello",
              })}
            />
          }
        />
      </Section>
      {key !== undefined && <RecordSection key={key} id={id} recordKey={key} />}
    </>
  );
}

/** Deletes a record, and closes it if it is open, so that it is not read again. */
function DeleteRecord({ id, recordKey }: { id: string; recordKey: string }) {
  const router = useRouter();
  const { key: openKey } = useSearch({ from: "/shell/settings/data-stores/$id" });
  return (
    <RowAction
      name={dialogOf("delete", recordKey)}
      label={`Delete ${recordKey}`}
      title={`Delete ${recordKey}?`}
      description="Components that read it get undefined from then on."
      confirmLabel="Delete record"
      run={() => deleteRecord(id, recordKey)}
      done="Record deleted"
      changes={[recordsList(id).queryKey]}
      onDone={() => {
        if (openKey !== recordKey) return;
        void router.navigate({
          to: "/settings/data-stores/$id",
          params: { id },
          replace: true,
        });
      }}
    />
  );
}

function DeleteStore({ store: { id, name } }: { store: DataStore }) {
  const router = useRouter();
  const remove = useAction({
    run: () => deleteDataStore(id),
    done: "Data store deleted",
    changes: [["data_stores", "list"]],
    isFailureShown: true,
  });
  return (
    <ConfirmDialog
      name="delete"
      trigger={
        <Button variant="secondary-destructive" icon={<TrashIcon />}>
          Delete
        </Button>
      }
      title={`Delete ${name}?`}
      description="This also deletes all of its records. Components that use it fail."
      typed={name}
      confirmLabel="Delete data store"
      onConfirm={async () => {
        await remove.mutateAsync();
        await router.navigate({ to: "/settings/data-stores", replace: true });
      }}
    />
  );
}
