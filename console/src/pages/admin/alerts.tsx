import { CheckCircleIcon } from "@phosphor-icons/react";
import { useSearch } from "@tanstack/react-router";

import { type Alert, allAlertsList } from "../../api/operations.ts";
import { ChoiceLinks } from "../../components/choice-links.tsx";
import { adminCommand } from "../../components/commands.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { FilterField } from "../../components/filter-field.tsx";
import { LinkButton } from "../../components/link-button.tsx";
import { ListTable } from "../../components/list-table.tsx";
import { OwnerLink } from "../../components/owner-link.tsx";
import { useRefresh } from "../../components/refresh.ts";
import { Section } from "../../components/section.tsx";
import { Status } from "../../components/status.tsx";
import { Time } from "../../components/time.tsx";
import type { Column } from "../../components/virtual-table.tsx";
import { AlertDetails } from "./alert-details.tsx";

const ROW_DIALOGS = ["alert"];

const REFRESH_MS = 10_000;

const KINDS: Record<Alert["kind"], string> = {
  failing: "fails",
  late: "is late",
  account_lost: "lost its account",
  webhook_disabled: "was deactivated",
  webhook_full: "is full",
  event_parked: "parked an event",
};

const STATES = ["open", "ended", "all"] as const;

const COLUMNS: Column<Alert>[] = [
  {
    id: "state",
    header: "State",
    width: "7rem",
    cell: ({ until }) =>
      until === null ? (
        <Status state="failing" label="open" />
      ) : (
        <Status state="finished" label="ended" />
      ),
  },
  {
    id: "subject",
    header: "Alert",
    cell: (alert) => (
      <>
        <AlertDetails alert={alert} kind={KINDS[alert.kind]} />{" "}
        <span className="text-kumo-subtle">{KINDS[alert.kind]}</span>
      </>
    ),
  },
  {
    id: "message",
    header: "Message",
    cell: ({ message, error }) => (
      <span title={error === null ? message : `${error.name}: ${error.message}`}>{message}</span>
    ),
  },
  { id: "count", header: "Times", width: "5rem", align: "right", cell: ({ count }) => count },
  {
    id: "since",
    header: "Since",
    width: "8rem",
    cell: ({ since }) => <Time at={Date.parse(since)} />,
  },
  {
    id: "owner",
    header: "Owner",
    width: "11rem",
    cell: ({ owner_id }) => <OwnerLink id={owner_id} />,
  },
];

/** The alerts of all owners. */
export function AlertsPage() {
  const { state: wanted, owner } = useSearch({ from: "/shell/admin/alerts" });
  const state = STATES.find((name) => name === wanted) ?? "open";
  const list = allAlertsList({ state, ...(owner === undefined ? {} : { owner_id: owner }) });
  useRefresh(list.queryKey, REFRESH_MS);
  return (
    <Section title="Alerts" description="Alerts to owners, by mail or in the console.">
      <div className="flex flex-wrap gap-3">
        <ChoiceLinks
          label="State of alerts"
          name="state"
          choices={[
            ["", "Open"],
            ["ended", "Ended"],
            ["all", "All"],
          ]}
        />
        <FilterField label="Owner" name="owner" placeholder="Of one owner (id)" />
      </div>
      <ListTable
        label="Alerts"
        list={list}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        dialogs={ROW_DIALOGS}
        minWidth="58rem"
        empty={
          <EmptyState
            icon={<CheckCircleIcon size={32} className="text-kumo-success" />}
            title={state === "open" ? "No open alerts" : "No alerts"}
            sentence="Sources that fail, timers that are late, lost accounts and switched-off webhooks would be here. For a monitor:"
            command={adminCommand("GET", "/alerts?state=open")}
            action={
              state !== "all" && (
                <LinkButton to="/admin/alerts" search={{ state: "all" }}>
                  Show those that ended, too
                </LinkButton>
              )
            }
          />
        }
      />
    </Section>
  );
}
