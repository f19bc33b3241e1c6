import { Button } from "@cloudflare/kumo";
import { KeyIcon, PlusIcon } from "@phosphor-icons/react";

import { issueApiKey, revokeUserKey, type UserKey, userKeysList } from "../../api/admin.ts";
import { useAction } from "../../components/action.ts";
import { adminCommand } from "../../components/commands.ts";
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

function columnsOf(userId: string): Column<UserKey>[] {
  return [
    { id: "name", header: "Name", cell: ({ name }) => name ?? "unnamed" },
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
    {
      id: "revoke",
      header: "Revoke",
      width: "5rem",
      cell: (key) => <Revoke userId={userId} userKey={key} />,
    },
  ];
}

/** The API keys of a user. */
export function UserKeys({ id }: { id: string }) {
  return (
    <Section title="API keys" actions={<IssueKey userId={id} />}>
      <ListTable
        label="API keys"
        list={userKeysList(id)}
        columns={columnsOf(id)}
        rowKey={(key) => key.id}
        dialogs={ROW_DIALOGS}
        empty={
          <EmptyState
            icon={<KeyIcon size={32} className="text-kumo-subtle" />}
            title="The user has no key"
            sentence="Without one, no client can act as this user."
            command={adminCommand("POST", `/users/${id}/api_keys`, { name: "CI" })}
            action={
              <DialogButton name="new-key" variant="primary" icon={<PlusIcon />}>
                Issue a key
              </DialogButton>
            }
          />
        }
      />
    </Section>
  );
}

function IssueKey({ userId }: { userId: string }) {
  const issue = useAction({
    run: (name: string | undefined) => issueApiKey(userId, name),
    done: "API key issued",
    changes: [["admin", "users", userId]],
    isFailureShown: true,
  });
  return (
    <FormDialog
      name="new-key"
      trigger={<Button icon={<PlusIcon />}>Issue a key</Button>}
      title="Issue an API key"
      description="Requests with this key act as this user."
      fields={[{ name: "name", label: "Name" }]}
      submitLabel="Issue key"
      onSubmit={async ({ name }) => {
        const { api_key } = await issue.mutateAsync(name || undefined);
        return shownOnce(api_key, "API key");
      }}
    />
  );
}

function Revoke({ userId, userKey: { id, name } }: { userId: string; userKey: UserKey }) {
  return (
    <RowAction
      name={dialogOf("revoke", id)}
      label={`Revoke ${name ?? id}`}
      title={`Revoke ${name ?? id}?`}
      description="Clients that use it are refused, and sessions that it opened end."
      confirmLabel="Revoke"
      run={() => revokeUserKey(id)}
      done="API key revoked"
      changes={[["admin", "users", userId]]}
    />
  );
}
