import { Button, ClipboardText } from "@cloudflare/kumo";
import { UserPlusIcon, UsersIcon } from "@phosphor-icons/react";
import { Link, useSearch } from "@tanstack/react-router";

import { createUser, type User, type UserFields, usersList } from "../../api/admin.ts";
import { useAction } from "../../components/action.ts";
import { adminCommand } from "../../components/commands.ts";
import { CopyText } from "../../components/copy.tsx";
import { DialogButton } from "../../components/dialog-button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { FilterField } from "../../components/filter-field.tsx";
import type { FormField, Values } from "../../components/form-fields.tsx";
import { FormDialog } from "../../components/form.tsx";
import { formatNumber } from "../../components/format.ts";
import { LINK } from "../../components/links.tsx";
import { ListTable } from "../../components/list-table.tsx";
import { SecretOnce } from "../../components/secret-once.tsx";
import { Section } from "../../components/section.tsx";
import { Time } from "../../components/time.tsx";
import type { Column } from "../../components/virtual-table.tsx";

const COLUMNS: Column<User>[] = [
  {
    id: "name",
    header: "User",
    cell: ({ id, username }) => (
      <Link to="/admin/users/$id" params={{ id }} className={LINK}>
        {username}
      </Link>
    ),
  },
  { id: "email", header: "E-mail", cell: ({ email }) => email },
  { id: "plan", header: "Plan", width: "5rem", cell: ({ plan }) => plan },
  {
    id: "sources",
    header: "Sources",
    width: "5.5rem",
    align: "right",
    cell: ({ sources }) => formatNumber(sources),
  },
  {
    id: "workflows",
    header: "Workflows",
    width: "6.5rem",
    align: "right",
    cell: ({ workflows }) => formatNumber(workflows),
  },
  {
    id: "keys",
    header: "Keys",
    width: "4.5rem",
    align: "right",
    cell: ({ api_keys }) => formatNumber(api_keys),
  },
  { id: "id", header: "Id", width: "11rem", cell: ({ id }) => <CopyText value={id} /> },
  {
    id: "created",
    header: "Created",
    width: "8rem",
    cell: ({ created_at }) => <Time at={created_at * 1000} />,
  },
];

/** All users. */
export function UsersPage() {
  const filter = useSearch({ from: "/shell/admin/" });
  const { q } = filter;
  return (
    <Section title="Users" actions={<NewUser />}>
      <FilterField label="Filter users" placeholder="Filter by name, e-mail or id" />
      <ListTable
        label="Users"
        list={usersList(q === undefined ? {} : { q })}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        minWidth="58rem"
        empty={
          <EmptyState
            icon={<UsersIcon size={32} className="text-kumo-subtle" />}
            title={q === undefined ? "No users yet" : "No user matches"}
            sentence="Create one; the first API key comes with it."
            command={adminCommand("POST", "/users", {
              username: "ada",
              email: "ada@example.com",
            })}
            action={
              <DialogButton name="new" variant="primary" icon={<UserPlusIcon />}>
                New user
              </DialogButton>
            }
          />
        }
      />
    </Section>
  );
}

const PLANS = { free: "Free", paid: "Paid" };

/** The fields of a user, empty or with their current values. */
export function userFields(user?: UserFields): FormField[] {
  return [
    { name: "username", label: "User name", isRequired: true, value: user?.username ?? "" },
    {
      name: "email",
      label: "E-mail",
      kind: "email",
      isRequired: true,
      value: user?.email ?? "",
    },
    { name: "plan", label: "Plan", kind: "select", options: PLANS, value: user?.plan ?? "free" },
  ];
}

/** The typed values of a user. */
export function userOf({ username = "", email = "", plan }: Values): UserFields {
  return { username, email, plan: plan === "paid" ? "paid" : "free" };
}

function NewUser() {
  const create = useAction({
    run: createUser,
    done: "User created",
    changes: [["admin", "users", "list"]],
    isFailureShown: true,
  });
  return (
    <FormDialog
      name="new"
      trigger={
        <Button variant="primary" icon={<UserPlusIcon />}>
          New user
        </Button>
      }
      title="New user"
      fields={userFields()}
      submitLabel="Create user"
      onSubmit={async (values) => {
        const { id, api_key } = await create.mutateAsync(userOf(values));
        return created(id, api_key);
      }}
    />
  );
}

function created(id: string, key: string) {
  return (
    <div className="flex flex-col gap-4">
      <div>
        <p className="mb-1">Id of the user</p>
        <ClipboardText text={id} labels={{ copyAction: "Copy the id" }} />
      </div>
      <SecretOnce secret={key} what="API key" />
    </div>
  );
}
