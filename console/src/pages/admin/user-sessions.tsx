import { SignOutIcon } from "@phosphor-icons/react";

import { endUserSession, type UserSession, userSessionsList } from "../../api/admin.ts";
import { adminCommand } from "../../components/commands.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { ListTable } from "../../components/list-table.tsx";
import { dialogOf } from "../../components/opening.ts";
import { RowAction } from "../../components/row-action.tsx";
import { Section } from "../../components/section.tsx";
import { browserOf, SESSION_COLUMNS } from "../../components/session-columns.tsx";
import type { Column } from "../../components/virtual-table.tsx";

const ROW_DIALOGS = ["end"];

/** The browsers in which a user is signed in. */
export function UserSessions({ id }: { id: string }) {
  return (
    <Section title="Sessions" description="Browsers in which the user is signed in to the console.">
      <ListTable
        label="Sessions"
        list={userSessionsList(id)}
        columns={columnsOf(id)}
        rowKey={(session) => session.id}
        dialogs={ROW_DIALOGS}
        minWidth="48rem"
        empty={
          <EmptyState
            title="The user has no sessions"
            sentence="This makes a link that signs the user in, once and within an hour:"
            command={adminCommand("POST", "/sign_in_links", { user_id: id })}
          />
        }
      />
    </Section>
  );
}

function columnsOf(userId: string): Column<UserSession>[] {
  return [
    ...SESSION_COLUMNS,
    {
      id: "end",
      header: "End",
      width: "5rem",
      cell: (session) => <End userId={userId} session={session} />,
    },
  ];
}

function End({ userId, session }: { userId: string; session: UserSession }) {
  const name = browserOf(session.user_agent);
  return (
    <RowAction
      name={dialogOf("end", session.id)}
      label={`End the session of ${name}`}
      icon={<SignOutIcon />}
      title={`End the session of ${name}?`}
      description="The browser is signed out with its next request. API keys stay valid: revoke them to keep the user out."
      confirmLabel="End session"
      run={() => endUserSession(userId, session.id)}
      done="Session ended"
      changes={[["admin", "users", userId]]}
    />
  );
}
