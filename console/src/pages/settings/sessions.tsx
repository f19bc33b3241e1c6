import { SignOutIcon } from "@phosphor-icons/react";

import { type OpenSession, revokeSession, sessionsList } from "../../api/account.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { ListTable } from "../../components/list-table.tsx";
import { dialogOf } from "../../components/opening.ts";
import { RowAction } from "../../components/row-action.tsx";
import { Section } from "../../components/section.tsx";
import { browserOf, SESSION_COLUMNS } from "../../components/session-columns.tsx";
import type { Column } from "../../components/virtual-table.tsx";

const ROW_DIALOGS = ["end"];

const COLUMNS: Column<OpenSession>[] = [
  ...SESSION_COLUMNS,
  { id: "end", header: "End", width: "5rem", cell: (session) => <End session={session} /> },
];

/** The browsers in which the user is signed in. */
export function SessionsPage() {
  return (
    <Section
      title="Sessions"
      description="Browsers in which you are signed in. A session ends by itself after twelve hours."
    >
      <ListTable
        label="Sessions"
        list={sessionsList()}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        dialogs={ROW_DIALOGS}
        minWidth="48rem"
        empty={<EmptyState title="No sessions" />}
      />
    </Section>
  );
}

function End({ session: { id, user_agent, is_current } }: { session: OpenSession }) {
  const name = browserOf(user_agent);
  return (
    <RowAction
      name={dialogOf("end", id)}
      label={`End the session of ${name}`}
      icon={<SignOutIcon />}
      title={is_current ? "End this session?" : `End the session of ${name}?`}
      description={
        is_current
          ? "You are signed out here."
          : "The browser is signed out with its next request. API keys stay valid."
      }
      confirmLabel="End session"
      run={() => revokeSession(id)}
      done="Session ended"
      changes={[["sessions"], ["session"]]}
    />
  );
}
