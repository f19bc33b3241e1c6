import { PlugsConnectedIcon } from "@phosphor-icons/react";
import { Link, useSearch } from "@tanstack/react-router";

import { type AgentSubscription, agentSubscriptionsList } from "../../api/operations.ts";
import { apiCommand } from "../../components/commands.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { FilterField } from "../../components/filter-field.tsx";
import { LinkButton } from "../../components/link-button.tsx";
import { LINK } from "../../components/links.tsx";
import { ListTable } from "../../components/list-table.tsx";
import { OwnerLink } from "../../components/owner-link.tsx";
import { useRefresh } from "../../components/refresh.ts";
import { Section } from "../../components/section.tsx";
import { Status } from "../../components/status.tsx";
import { Time } from "../../components/time.tsx";
import type { Column } from "../../components/virtual-table.tsx";
import { ProjectQuotas } from "./project-quotas.tsx";

const REFRESH_MS = 10_000;

const COLUMNS: Column<AgentSubscription>[] = [
  {
    id: "subscriber",
    header: "Subscriber",
    width: "12rem",
    cell: ({ owner_id }) => <OwnerLink id={owner_id} />,
  },
  {
    id: "project",
    header: "Project",
    width: "10rem",
    cell: ({ project_id }) => (project_id === null ? "–" : <ProjectLink id={project_id} />),
  },
  {
    id: "type",
    header: "Event type",
    cell: ({ event_type, filter }) => <span title={filter ?? undefined}>{event_type}</span>,
  },
  {
    id: "callback",
    header: "Callback host",
    cell: ({ url }) => <span title={url}>{URL.parse(url)?.host ?? url}</span>,
  },
  { id: "state", header: "State", width: "8rem", cell: (one) => <Status {...stateOf(one)} /> },
  {
    id: "expiry",
    header: "Expires",
    width: "9rem",
    cell: ({ expires_at }) => <Time at={expires_at * 1000} />,
  },
];

/** A link to the subscriptions and the quotas of one project. */
function ProjectLink({ id }: { id: string }) {
  return (
    <Link
      to="/admin/agents"
      search={{ owner: id }}
      className={`${LINK} font-mono text-sm`}
      title={id}
    >
      {id}
    </Link>
  );
}

/** The subscriptions of agents to events, by MCP, and the quotas of a project. */
export function AgentsPage() {
  const { owner } = useSearch({ from: "/shell/admin/agents" });
  const list = agentSubscriptionsList(owner);
  useRefresh(list.queryKey, REFRESH_MS);
  return (
    <>
      <Section
        title="Subscriptions of agents"
        description="Callbacks that receive events by MCP, newest first. Each ends at its expiry unless its agent refreshes it."
      >
        <FilterField
          label="Owner or project"
          name="owner"
          placeholder="Of one owner or project (id)"
        />
        <ListTable
          label="Subscriptions of agents"
          list={list}
          columns={COLUMNS}
          rowKey={({ id }) => id}
          minWidth="60rem"
          empty={
            <EmptyState
              icon={<PlugsConnectedIcon size={32} className="text-kumo-subtle" />}
              title={owner === undefined ? "No subscriptions" : "No subscription matches"}
              sentence="An agent subscribes with a key of its user. Create such a key:"
              command={apiCommand("POST", "/agent_keys", {
                name: "Robot",
                scope: "read subscribe",
              })}
              action={
                owner !== undefined && (
                  <LinkButton to="/admin/agents">Show all subscriptions</LinkButton>
                )
              }
            />
          }
        />
      </Section>
      {owner?.startsWith("proj_") && <ProjectQuotas id={owner} />}
    </>
  );
}

/** An expired subscription is listed until the sweep deletes it. */
function stateOf({ active, expires_at }: AgentSubscription): { state: string; label?: string } {
  if (expires_at * 1000 <= Date.now()) return { state: "off", label: "expired" };
  return active ? { state: "active" } : { state: "paused", label: "suspended" };
}
