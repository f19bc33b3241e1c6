import { Button } from "@cloudflare/kumo";
import { UserPlusIcon } from "@phosphor-icons/react";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";

import type { Member } from "../../api/account.ts";
import {
  addMember,
  type AdminWorkspace,
  adminWorkspaceQuery,
  ownerUsageQuery,
  removeMember,
  workspaceMembersList,
} from "../../api/admin.ts";
import { useAction } from "../../components/action.ts";
import { adminCommand } from "../../components/commands.ts";
import { CopyText } from "../../components/copy.tsx";
import { LoadingRows } from "../../components/data-table.tsx";
import { DialogButton } from "../../components/dialog-button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { FormDialog } from "../../components/form.tsx";
import { formatCount } from "../../components/format.ts";
import { LinkButton } from "../../components/link-button.tsx";
import { LINK } from "../../components/links.tsx";
import { ListTable } from "../../components/list-table.tsx";
import { MEMBER_COLUMNS } from "../../components/member-columns.tsx";
import { dialogOf } from "../../components/opening.ts";
import { RowAction } from "../../components/row-action.tsx";
import { Card, Facts, Section } from "../../components/section.tsx";
import { Time } from "../../components/time.tsx";
import { spanOf, UsageRange, UsageView } from "../../components/usage.tsx";
import type { Column } from "../../components/virtual-table.tsx";
import { QuotaForm } from "./quota-form.tsx";

const ROW_DIALOGS = ["remove"];

/** One workspace: members, quotas and usage. */
export function AdminWorkspacePage() {
  const { id } = useParams({ from: "/shell/admin/workspaces/$id" });
  const { data: workspace, error, refetch } = useQuery(adminWorkspaceQuery(id));
  return (
    <>
      {error && <FailureNotice error={error} onRetry={() => void refetch()} />}
      {workspace === undefined && !error && <LoadingRows label="Workspace" />}
      {workspace === null && (
        <EmptyState
          title="This workspace does not exist"
          sentence="It was deleted, or the address is mistyped."
          action={<LinkButton to="/admin/workspaces">All workspaces</LinkButton>}
        />
      )}
      {workspace && <About workspace={workspace} />}
      <Section title="Members" actions={<AddMember id={id} />}>
        <ListTable
          label="Members"
          list={workspaceMembersList(id)}
          columns={columnsOf(id)}
          rowKey={({ user_id }) => user_id}
          dialogs={ROW_DIALOGS}
          empty={
            <EmptyState
              title="No members yet"
              sentence="Add users by their id, which Users lists."
              command={adminCommand("PUT", `/workspaces/${id}/members/u_…`)}
              action={
                <DialogButton name="add-member" variant="primary" icon={<UserPlusIcon />}>
                  Add a member
                </DialogButton>
              }
            />
          }
        />
      </Section>
      <Usage id={id} />
    </>
  );
}

function About({ workspace }: { workspace: AdminWorkspace }) {
  const { id, name, orgname, email, plan, sources, workflows, created_at } = workspace;
  return (
    <>
      <Section
        title={name}
        actions={
          <Link to="/admin/workspaces" className={LINK}>
            All workspaces
          </Link>
        }
      >
        <Facts
          facts={[
            ["Short name", orgname],
            ["E-mail", email],
            ["Plan", plan],
            ["Id", <CopyText key="id" value={id} />],
            ["Has", `${formatCount(sources, "source")}, ${formatCount(workflows, "workflow")}`],
            ["Created", <Time key="created" at={created_at * 1000} />],
          ]}
        />
      </Section>
      <Section title="Quotas" description="By day, until midnight UTC. 0 is none.">
        <Card>
          <QuotaForm
            key={workspace.updated_at}
            owner={{ kind: "workspaces", id }}
            quotas={workspace}
          />
        </Card>
      </Section>
    </>
  );
}

function columnsOf(id: string): Column<Member>[] {
  return [
    ...MEMBER_COLUMNS,
    {
      id: "remove",
      header: "Remove",
      width: "5.5rem",
      cell: (member) => <RemoveMember id={id} member={member} />,
    },
  ];
}

function AddMember({ id }: { id: string }) {
  const add = useAction({
    run: (userId: string) => addMember(id, userId),
    done: "Member added",
    changes: [["admin", "workspaces"]],
    isFailureShown: true,
  });
  return (
    <FormDialog
      name="add-member"
      trigger={
        <Button variant="primary" icon={<UserPlusIcon />}>
          Add a member
        </Button>
      }
      title="Add a member"
      fields={[{ name: "user", label: "Id of the user", placeholder: "u_…", isRequired: true }]}
      submitLabel="Add"
      onSubmit={async ({ user = "" }) => {
        await add.mutateAsync(user.trim());
      }}
    />
  );
}

function RemoveMember({ id, member: { user_id, username } }: { id: string; member: Member }) {
  return (
    <RowAction
      name={dialogOf("remove", user_id)}
      label={`Remove ${username}`}
      title={`Remove ${username}?`}
      description="The user loses access to the workspace. Resources that the user created in it stay."
      confirmLabel="Remove"
      run={() => removeMember(id, user_id)}
      done="Member removed"
      changes={[["admin", "workspaces"]]}
    />
  );
}

function Usage({ id }: { id: string }) {
  const { days: range } = useSearch({ from: "/shell/admin/workspaces/$id" });
  const { data, error, refetch } = useQuery(
    ownerUsageQuery({ kind: "workspaces", id }, spanOf(range)),
  );
  return (
    <Section title="Usage" actions={<UsageRange />}>
      {error && <FailureNotice error={error} onRetry={() => void refetch()} />}
      {data && <UsageView days={data} />}
    </Section>
  );
}
