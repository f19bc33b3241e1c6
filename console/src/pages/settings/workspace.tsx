import { useSuspenseQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";

import { membersList, workspaceQuery } from "../../api/account.ts";
import { CopyText } from "../../components/copy.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { LINK } from "../../components/links.tsx";
import { ListTable } from "../../components/list-table.tsx";
import { MEMBER_COLUMNS } from "../../components/member-columns.tsx";
import { Quota } from "../../components/quota.tsx";
import { Facts, Section } from "../../components/section.tsx";

/** One workspace: its quota and its members. */
export function WorkspacePage() {
  const { id } = useParams({ from: "/shell/settings/workspaces/$id" });
  const { data: workspace } = useSuspenseQuery(workspaceQuery(id));
  return (
    <>
      <Section
        title={workspace.name}
        actions={
          <Link to="/settings/workspaces" className={LINK}>
            All workspaces
          </Link>
        }
      >
        <Facts
          facts={[
            ["Short name", workspace.orgname],
            ["E-mail", workspace.email],
            ["Id", <CopyText key="id" value={workspace.id} />],
            [
              "Credits today",
              <Quota
                key="quota"
                label="Used"
                used={workspace.daily_credits_used}
                quota={workspace.daily_credits_quota}
              />,
            ],
          ]}
        />
      </Section>
      <Section title="Members">
        <ListTable
          label="Members"
          list={membersList(id)}
          columns={MEMBER_COLUMNS}
          rowKey={({ user_id }) => user_id}
          empty={<EmptyState title="No members" />}
        />
      </Section>
    </>
  );
}
