import { IdentificationCardIcon } from "@phosphor-icons/react";
import { Link, useSearch } from "@tanstack/react-router";

import {
  accountsList,
  type ConnectedAccount,
  deleteAccount,
  type Scope,
} from "../../../api/connect.ts";
import { connectCommand } from "../../../components/commands.ts";
import { CopyText } from "../../../components/copy.tsx";
import { EmptyState } from "../../../components/empty-state.tsx";
import { FilterField } from "../../../components/filter-field.tsx";
import { HealthOfAccount } from "../../../components/health-of-account.tsx";
import { LINK } from "../../../components/links.tsx";
import { ListTable } from "../../../components/list-table.tsx";
import { dialogOf } from "../../../components/opening.ts";
import { RowAction } from "../../../components/row-action.tsx";
import { Time } from "../../../components/time.tsx";
import type { Column } from "../../../components/virtual-table.tsx";
import { useScope } from "./scope.ts";

const ROW_DIALOGS = ["delete"];

function columnsOf(scope: Scope): Column<ConnectedAccount>[] {
  return [
    { id: "name", header: "Account", cell: ({ name }) => name },
    { id: "app", header: "App", width: "8rem", cell: ({ app }) => app.name },
    {
      id: "user",
      header: "External user",
      cell: ({ external_user_id: user = "–" }) => <span title={user}>{user}</span>,
    },
    {
      id: "health",
      header: "Health",
      width: "13rem",
      cell: (account) => (
        <HealthOfAccount account={account} nextStep={<NewLink account={account} scope={scope} />} />
      ),
    },
    { id: "id", header: "Id", width: "8rem", cell: ({ id }) => <CopyText value={id} /> },
    {
      id: "created",
      header: "Connected",
      width: "8rem",
      cell: ({ created_at }) => <Time at={Date.parse(created_at)} />,
    },
    {
      id: "delete",
      header: "Delete",
      width: "5rem",
      cell: (account) => <DeleteAccount account={account} scope={scope} />,
    },
  ];
}

/** The accounts that external users connected. */
export function ConnectedAccountsPage() {
  const scope = useScope();
  const { user, app } = useSearch({ from: "/shell/connect/$project/accounts" });
  const filter = {
    ...(user === undefined ? {} : { external_user_id: user }),
    ...(app === undefined ? {} : { app }),
  };
  const isFiltered = user !== undefined || app !== undefined;
  return (
    <>
      <div className="mb-4 flex flex-wrap gap-3">
        <FilterField label="External user" name="user" placeholder="Of one external user (id)" />
        <FilterField label="App" name="app" placeholder="Of one app (slug)" />
      </div>
      <ListTable
        label="Accounts"
        list={accountsList(scope, filter)}
        columns={columnsOf(scope)}
        rowKey={({ id }) => id}
        dialogs={ROW_DIALOGS}
        minWidth="58rem"
        empty={
          <EmptyState
            icon={<IdentificationCardIcon size={32} className="text-kumo-subtle" />}
            title={isFiltered ? "No account matches" : `No accounts in ${scope.env} yet`}
            sentence="Accounts appear as users connect them by a link, which your server makes:"
            command={connectCommand(scope, ["POST", "/tokens", { external_user_id: "customer-1" }])}
            action={
              <Link to="/connect/$project" params={{ project: scope.project }} className={LINK}>
                Connect one under Try it
              </Link>
            }
          />
        }
      />
    </>
  );
}

/** Leads to a link by which the external user connects the account again. */
function NewLink({ account, scope }: { account: ConnectedAccount; scope: Scope }) {
  const { external_user_id: user, app } = account;
  return (
    <Link
      to="/connect/$project"
      params={{ project: scope.project }}
      search={{ app: app.name_slug, ...(user !== undefined && { user }) }}
      className={LINK}
    >
      New link
    </Link>
  );
}

function DeleteAccount({ account, scope }: { account: ConnectedAccount; scope: Scope }) {
  const { id, name } = account;
  return (
    <RowAction
      name={dialogOf("delete", id)}
      label={`Delete ${name}`}
      title={`Delete ${name}?`}
      description={`This also deletes its credentials. Triggers of ${account.external_user_id ?? "its user"} that use it stay, and fail without it.`}
      confirmLabel="Delete account"
      run={() => deleteAccount(scope, id)}
      done="Account deleted"
      changes={[["connect", scope]]}
    />
  );
}
