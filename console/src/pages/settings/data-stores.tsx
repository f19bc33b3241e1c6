import { Button } from "@cloudflare/kumo";
import { DatabaseIcon, PlusIcon } from "@phosphor-icons/react";
import { Link, useRouter } from "@tanstack/react-router";

import { createDataStore, type DataStore, dataStoresList } from "../../api/data-stores.ts";
import { useAction } from "../../components/action.ts";
import { apiCommand } from "../../components/commands.ts";
import { CopyText } from "../../components/copy.tsx";
import { DialogButton } from "../../components/dialog-button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { FormDialog } from "../../components/form.tsx";
import { LINK } from "../../components/links.tsx";
import { ListTable } from "../../components/list-table.tsx";
import { Section } from "../../components/section.tsx";
import { Time } from "../../components/time.tsx";
import type { Column } from "../../components/virtual-table.tsx";
import { useOrg } from "../../layout/org.ts";

const COLUMNS: Column<DataStore>[] = [
  {
    id: "name",
    header: "Data store",
    cell: ({ id, name }) => (
      <Link to="/settings/data-stores/$id" params={{ id }} className={LINK}>
        {name}
      </Link>
    ),
  },
  { id: "id", header: "Id", cell: ({ id }) => <CopyText value={id} /> },
  {
    id: "created",
    header: "Created",
    width: "9rem",
    cell: ({ created_at }) => <Time at={created_at * 1000} />,
  },
];

/** The data stores of the user or the workspace. */
export function DataStoresPage() {
  const org = useOrg();
  return (
    <Section
      title="Data stores"
      description="Keys and values that sources and workflows share."
      actions={<NewDataStore />}
    >
      <ListTable
        label="Data stores"
        list={dataStoresList(org)}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        empty={
          <EmptyState
            icon={<DatabaseIcon size={32} className="text-kumo-subtle" />}
            title="No data stores yet"
            sentence="Create one, and give it to components with a prop of type data_store."
            command={apiCommand("POST", "/data_stores", { name: "Shelves" })}
            action={
              <DialogButton name="new" variant="primary" icon={<PlusIcon />}>
                New data store
              </DialogButton>
            }
          />
        }
      />
    </Section>
  );
}

function NewDataStore() {
  const org = useOrg();
  const router = useRouter();
  const create = useAction({
    run: (name: string) => createDataStore(name, org),
    done: "Data store created",
    changes: [["data_stores", "list"]],
    isFailureShown: true,
  });
  return (
    <FormDialog
      name="new"
      trigger={
        <Button variant="primary" icon={<PlusIcon />}>
          New data store
        </Button>
      }
      title="New data store"
      fields={[{ name: "name", label: "Name", isRequired: true }]}
      submitLabel="Create data store"
      onSubmit={async ({ name = "" }) => {
        const { id } = await create.mutateAsync(name);
        await router.navigate({ to: "/settings/data-stores/$id", params: { id }, replace: true });
      }}
    />
  );
}
