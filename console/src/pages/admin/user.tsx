import { Button } from "@cloudflare/kumo";
import { TrashIcon } from "@phosphor-icons/react";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { Link, useParams, useRouter, useSearch } from "@tanstack/react-router";

import {
  deleteUser,
  ownerUsageQuery,
  updateUser,
  type User,
  type UserFields,
  userQuery,
} from "../../api/admin.ts";
import { useAction } from "../../components/action.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { CopyText } from "../../components/copy.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { Form } from "../../components/form.tsx";
import { formatCount } from "../../components/format.ts";
import { LINK } from "../../components/links.tsx";
import { Card, Facts, Section } from "../../components/section.tsx";
import { Time } from "../../components/time.tsx";
import { spanOf, UsageRange, UsageView } from "../../components/usage.tsx";
import { QuotaForm } from "./quota-form.tsx";
import { UserKeys } from "./user-keys.tsx";
import { UserSessions } from "./user-sessions.tsx";
import { userFields, userOf } from "./users.tsx";

/** One user: name, keys, quotas, usage, and deletion. */
export function UserPage() {
  const { id } = useParams({ from: "/shell/admin/users/$id" });
  const { data: user } = useSuspenseQuery(userQuery(id));
  return (
    <>
      <Section
        title={user.username}
        actions={
          <>
            <Link to="/admin" className={`${LINK} self-center`}>
              All users
            </Link>
            <DeleteUser user={user} />
          </>
        }
      >
        <Facts
          facts={[
            ["E-mail", user.email],
            ["Plan", user.plan],
            ["Id", <CopyText key="id" value={id} />],
            ["Has", holdingsOf(user)],
            ["Created", <Time key="created" at={user.created_at * 1000} />],
          ]}
        />
      </Section>
      <UserKeys id={id} />
      <UserSessions id={id} />
      <Section title="Quotas" description="By day, until midnight UTC. 0 is none.">
        <Card>
          <QuotaForm key={user.updated_at} owner={{ kind: "users", id }} quotas={user} />
        </Card>
      </Section>
      <Section title="Name, e-mail and plan">
        <Card>
          <EditForm key={user.updated_at} user={user} />
        </Card>
      </Section>
      <Usage id={id} />
    </>
  );
}

function holdingsOf({ sources, workflows, workspaces, api_keys }: User): string {
  return [
    formatCount(sources, "source"),
    formatCount(workflows, "workflow"),
    formatCount(workspaces, "workspace"),
    formatCount(api_keys, "API key"),
  ].join(", ");
}

function EditForm({ user }: { user: User }) {
  const update = useAction({
    run: (fields: UserFields) => updateUser(user.id, fields),
    done: "User saved",
    changes: [["admin", "users"]],
    isFailureShown: true,
  });
  return (
    <Form
      fields={userFields(user)}
      submitLabel="Save"
      onSubmit={(values) => update.mutateAsync(userOf(values))}
    />
  );
}

function Usage({ id }: { id: string }) {
  const { days: range } = useSearch({ from: "/shell/admin/users/$id" });
  const { data, error, refetch } = useQuery(ownerUsageQuery({ kind: "users", id }, spanOf(range)));
  return (
    <Section title="Usage" actions={<UsageRange />}>
      {error && <FailureNotice error={error} onRetry={() => void refetch()} />}
      {data && <UsageView days={data} />}
    </Section>
  );
}

function DeleteUser({ user }: { user: User }) {
  const router = useRouter();
  const remove = useAction({
    run: () => deleteUser(user.id),
    done: "The user is being deleted",
    changes: [["admin", "users", "list"]],
    isFailureShown: true,
  });
  return (
    <ConfirmDialog
      name="delete"
      trigger={
        <Button variant="secondary-destructive" icon={<TrashIcon />}>
          Delete user
        </Button>
      }
      title={`Delete ${user.username}?`}
      description={`This also deletes the user's resources: ${holdingsOf(user)}, webhooks, accounts, data stores and Connect projects. Nothing can be restored.`}
      typed={user.username}
      confirmLabel="Delete user"
      onConfirm={async () => {
        await remove.mutateAsync();
        await router.navigate({ to: "/admin", replace: true });
      }}
    />
  );
}
