import { Badge, Button } from "@cloudflare/kumo";
import { SignOutIcon } from "@phosphor-icons/react";

import { type OpenSession, revokeSession, sessionsList } from "../../api/account.ts";
import { useAction } from "../../components/action.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { ListTable } from "../../components/list-table.tsx";
import { Section } from "../../components/section.tsx";
import { Time } from "../../components/time.tsx";
import type { Column } from "../../components/virtual-table.tsx";

const COLUMNS: Column<OpenSession>[] = [
  {
    id: "agent",
    header: "Browser",
    cell: ({ user_agent, is_current, is_operator }) => (
      <span className="flex min-w-0 items-center gap-2">
        {is_current && <Badge variant="info">this one</Badge>}
        {is_operator && <Badge variant="warning">operator</Badge>}
        <span className="truncate" title={user_agent ?? undefined}>
          {browserOf(user_agent)}
        </span>
      </span>
    ),
  },
  {
    id: "created",
    header: "Signed in",
    width: "9rem",
    cell: ({ created_at }) => <Time at={created_at * 1000} />,
  },
  {
    id: "seen",
    header: "Last seen",
    width: "9rem",
    cell: ({ last_seen_at }) => (last_seen_at === null ? "–" : <Time at={last_seen_at * 1000} />),
  },
  {
    id: "expires",
    header: "Ends",
    width: "9rem",
    cell: ({ expires_at }) => <Time at={expires_at * 1000} />,
  },
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
        minWidth="48rem"
        empty={<EmptyState title="No sessions" />}
      />
    </Section>
  );
}

const BROWSERS: [name: string, mark: RegExp][] = [
  ["Edge", /Edg\//],
  ["Opera", /OPR\//],
  ["Firefox", /Firefox\//],
  ["Chrome", /Chrom(e|ium)\//],
  ["Safari", /Safari\//],
];

const SYSTEMS: [name: string, mark: RegExp][] = [
  ["Android", /Android/],
  ["iOS", /iPhone|iPad/],
  ["Windows", /Windows/],
  ["macOS", /Mac OS/],
  ["Linux", /Linux/],
];

/** The browser and the system of a user agent; the whole text where they are not known. */
function browserOf(agent: string | null): string {
  if (agent === null) return "unknown";
  const named = [BROWSERS, SYSTEMS].map((known) => known.find(([, mark]) => mark.test(agent))?.[0]);
  return named.filter((name) => name !== undefined).join(" on ") || agent;
}

function End({ session: { id, user_agent, is_current } }: { session: OpenSession }) {
  const end = useAction({
    run: () => revokeSession(id),
    done: "Session ended",
    changes: [["sessions"], ["session"]],
    isFailureShown: true,
  });
  const name = browserOf(user_agent);
  return (
    <ConfirmDialog
      trigger={
        <Button
          variant="ghost"
          size="sm"
          shape="square"
          icon={<SignOutIcon />}
          aria-label={`End the session of ${name}`}
        />
      }
      title={is_current ? "End this session?" : `End the session of ${name}?`}
      description={
        is_current
          ? "You are signed out here."
          : "The browser is signed out with its next request. API keys stay valid."
      }
      confirmLabel="End session"
      onConfirm={() => end.mutateAsync()}
    />
  );
}
