import { Button } from "@cloudflare/kumo";
import { IdentificationCardIcon, PlusIcon } from "@phosphor-icons/react";
import { Link, useRouter, useSearch } from "@tanstack/react-router";

import { type Account, accountsList } from "../../api/account.ts";
import { apiCommand } from "../../components/commands.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { FilterField } from "../../components/filter-field.tsx";
import { HealthOfAccount } from "../../components/health-of-account.tsx";
import { LINK } from "../../components/links.tsx";
import { ListTable } from "../../components/list-table.tsx";
import { Section } from "../../components/section.tsx";
import { Time } from "../../components/time.tsx";
import type { Column } from "../../components/virtual-table.tsx";
import { useOrg } from "../../layout/org.ts";

const COLUMNS: Column<Account>[] = [
  {
    id: "name",
    header: "Account",
    cell: ({ id, name }) => (
      <Link to="/settings/accounts/$id" params={{ id }} className={LINK}>
        {name}
      </Link>
    ),
  },
  { id: "app", header: "App", width: "11rem", cell: ({ app }) => app },
  {
    id: "health",
    header: "Health",
    cell: (account) => (
      <HealthOfAccount
        account={account}
        nextStep={
          <Link to="/settings/accounts/$id" params={{ id: account.id }} className={LINK}>
            Reconnect
          </Link>
        }
      />
    ),
  },
  {
    id: "created",
    header: "Connected",
    width: "9rem",
    cell: ({ created_at }) => <Time at={created_at * 1000} />,
  },
];

/** The accounts that the user or the workspace connected. */
export function AccountsPage() {
  const filter = useSearch({ from: "/shell/settings/accounts" });
  const org = useOrg();
  const { q, app } = filter;
  const isFiltered = q !== undefined || app !== undefined;
  const list = accountsList({
    ...(org === undefined ? {} : { org }),
    ...(q === undefined ? {} : { q }),
    ...(app === undefined ? {} : { app }),
  });
  return (
    <Section
      title="Accounts"
      description="Credentials at other services, for sources and workflows."
      actions={<NewAccountButton />}
    >
      <div className="flex flex-wrap gap-3">
        <FilterField label="Filter accounts" placeholder="Filter by name, id or app" />
        <FilterField label="App" name="app" placeholder="Of one app (slug)" />
      </div>
      <ListTable
        label="Accounts"
        list={list}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        empty={
          <EmptyState
            icon={<IdentificationCardIcon size={32} className="text-kumo-subtle" />}
            title={isFiltered ? "No account matches" : "No accounts yet"}
            sentence="Connect one here, or where a source that you deploy needs it."
            command={apiCommand("POST", "/accounts", {
              app: "shop",
              credentials: { api_key: "…" },
            })}
            action={<NewAccountButton />}
          />
        }
      />
    </Section>
  );
}

function NewAccountButton() {
  const router = useRouter();
  return (
    <Button
      variant="primary"
      icon={<PlusIcon />}
      onClick={() => void router.navigate({ to: "/settings/accounts/new" })}
    >
      Connect an account
    </Button>
  );
}
