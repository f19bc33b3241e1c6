import { UsersIcon } from "@phosphor-icons/react";
import { Link, useSearch } from "@tanstack/react-router";

import { deleteUser, type ExternalUser, type Scope, usersList } from "../../../api/connect.ts";
import { connectCommand } from "../../../components/commands.ts";
import { CopyText } from "../../../components/copy.tsx";
import { EmptyState } from "../../../components/empty-state.tsx";
import { FilterField } from "../../../components/filter-field.tsx";
import { LINK } from "../../../components/links.tsx";
import { ListTable } from "../../../components/list-table.tsx";
import { dialogOf } from "../../../components/opening.ts";
import { RowAction } from "../../../components/row-action.tsx";
import { Time } from "../../../components/time.tsx";
import type { Column } from "../../../components/virtual-table.tsx";
import { useScope } from "./scope.ts";
import { UserQuotas } from "./user-quotas.tsx";

const ROW_DIALOGS = ["delete", "quotas"];

function columnsOf(scope: Scope): Column<ExternalUser>[] {
  const params = { project: scope.project };
  return [
    { id: "user", header: "External user", cell: ({ external_id }) => external_id },
    { id: "id", header: "Id", cell: ({ id }) => <CopyText value={id} /> },
    {
      id: "owned",
      header: "Resources",
      width: "13rem",
      cell: ({ external_id }) => (
        <span className="flex gap-4">
          <Link
            to="/connect/$project/accounts"
            params={params}
            search={{ user: external_id }}
            className={LINK}
          >
            Accounts
          </Link>
          <Link
            to="/connect/$project/triggers"
            params={params}
            search={{ user: external_id }}
            className={LINK}
          >
            Triggers
          </Link>
        </span>
      ),
    },
    {
      id: "created",
      header: "Created",
      width: "9rem",
      cell: ({ created_at }) => <Time at={Date.parse(created_at)} />,
    },
    {
      id: "quotas",
      header: "Quotas",
      width: "5rem",
      cell: ({ external_id }) => <UserQuotas user={external_id} scope={scope} />,
    },
    {
      id: "delete",
      header: "Delete",
      width: "5rem",
      cell: (user) => <DeleteUser user={user} scope={scope} />,
    },
  ];
}

/** The external users of an environment. */
export function ExternalUsersPage() {
  const scope = useScope();
  const filter = useSearch({ from: "/shell/connect/$project/users" });
  const { q } = filter;
  return (
    <>
      <div className="mb-4">
        <FilterField label="Filter users" placeholder="Filter by id" />
      </div>
      <ListTable
        label="External users"
        list={usersList(scope, q === undefined ? {} : { q })}
        columns={columnsOf(scope)}
        rowKey={({ external_id }) => external_id}
        dialogs={ROW_DIALOGS}
        minWidth="52rem"
        empty={
          <EmptyState
            icon={<UsersIcon size={32} className="text-kumo-subtle" />}
            title={q === undefined ? `No users in ${scope.env} yet` : "No user matches"}
            sentence="A user appears with the first connect token that your server makes for it:"
            command={connectCommand(scope, ["POST", "/tokens", { external_user_id: "customer-1" }])}
            action={
              <Link to="/connect/$project" params={{ project: scope.project }} className={LINK}>
                Create one under Try it
              </Link>
            }
          />
        }
      />
    </>
  );
}

function DeleteUser({ user: { external_id }, scope }: { user: ExternalUser; scope: Scope }) {
  return (
    <RowAction
      name={dialogOf("delete", external_id)}
      label={`Delete ${external_id}`}
      title={`Delete ${external_id}?`}
      description={`This also deletes the user's accounts, deployed triggers and data in ${scope.env}. They are hidden at once and deleted within minutes.`}
      confirmLabel="Delete user"
      run={() => deleteUser(scope, external_id)}
      done="User deleted"
      changes={[["connect", scope]]}
    />
  );
}
