import { Badge, Button } from "@cloudflare/kumo";
import { KeyIcon, PlusIcon } from "@phosphor-icons/react";

import { type ApiKey, apiKeysList, createApiKey, revokeApiKey } from "../../api/account.ts";
import { useAction } from "../../components/action.ts";
import { apiCommand } from "../../components/commands.ts";
import { CopyText } from "../../components/copy.tsx";
import { DialogButton } from "../../components/dialog-button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { FormDialog } from "../../components/form.tsx";
import { ListTable } from "../../components/list-table.tsx";
import { dialogOf } from "../../components/opening.ts";
import { RowAction } from "../../components/row-action.tsx";
import { shownOnce } from "../../components/secret-once.tsx";
import { Section } from "../../components/section.tsx";
import { Time } from "../../components/time.tsx";
import type { Column } from "../../components/virtual-table.tsx";

const ROW_DIALOGS = ["revoke"];

const COLUMNS: Column<ApiKey>[] = [
  {
    id: "name",
    header: "Name",
    cell: ({ name, is_current }) => (
      <span className="flex items-center gap-2">
        {name ?? <span className="text-kumo-subtle">unnamed</span>}
        {is_current && <Badge variant="info">signed in by it</Badge>}
      </span>
    ),
  },
  { id: "id", header: "Id", cell: ({ id }) => <CopyText value={id} /> },
  {
    id: "created",
    header: "Created",
    width: "9rem",
    cell: ({ created_at }) => <Time at={created_at * 1000} />,
  },
  {
    id: "used",
    header: "Last used",
    width: "9rem",
    cell: ({ last_used_at }) =>
      last_used_at === null ? "never" : <Time at={last_used_at * 1000} />,
  },
  { id: "revoke", header: "Revoke", width: "5rem", cell: (key) => <Revoke apiKey={key} /> },
];

/** The user's own API keys. */
export function KeysPage() {
  return (
    <Section
      title="API keys"
      description="Scripts and servers send one as Authorization: Bearer. Each is shown once."
      actions={<NewKey />}
    >
      <ListTable
        label="API keys"
        list={apiKeysList}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        dialogs={ROW_DIALOGS}
        empty={
          <EmptyState
            icon={<KeyIcon size={32} className="text-kumo-subtle" />}
            title="No API keys"
            sentence="Create one for each script or server, so that each can be revoked alone. Then try it:"
            command={apiCommand("GET", "/users/me")}
            action={
              <DialogButton name="new" variant="primary" icon={<PlusIcon />}>
                New API key
              </DialogButton>
            }
          />
        }
      />
    </Section>
  );
}

function NewKey() {
  const create = useAction({
    run: createApiKey,
    done: "API key created",
    changes: [["api_keys"]],
    isFailureShown: true,
  });
  return (
    <FormDialog
      name="new"
      trigger={
        <Button variant="primary" icon={<PlusIcon />}>
          New API key
        </Button>
      }
      title="New API key"
      fields={[
        {
          name: "name",
          label: "Name",
          placeholder: "CI",
          description: "The program that will use it.",
        },
      ]}
      submitLabel="Create API key"
      onSubmit={async ({ name }) => {
        const { api_key } = await create.mutateAsync(name || undefined);
        return shownOnce(api_key, "API key");
      }}
    />
  );
}

function Revoke({ apiKey: { id, name, is_current } }: { apiKey: ApiKey }) {
  return (
    <RowAction
      name={dialogOf("revoke", id)}
      label={`Revoke ${name ?? id}`}
      title={`Revoke ${name ?? id}?`}
      description={
        is_current
          ? "You are signed in by it: this session ends, like others that it opened, and other clients that use it are refused."
          : "Clients that use it are refused, and sessions that it opened end."
      }
      confirmLabel="Revoke"
      run={() => revokeApiKey(id)}
      done="API key revoked"
      changes={[["api_keys"], ["session"]]}
    />
  );
}
