import { LightningIcon, PauseIcon, PlayIcon } from "@phosphor-icons/react";
import { Link, useSearch } from "@tanstack/react-router";

import {
  type DeployedTrigger,
  deleteTrigger,
  type Scope,
  setTriggerActive,
  triggersList,
} from "../../../api/connect.ts";
import { useAction } from "../../../components/action.ts";
import { connectCommand } from "../../../components/commands.ts";
import { CopyText } from "../../../components/copy.tsx";
import { EmptyState } from "../../../components/empty-state.tsx";
import { FilterField } from "../../../components/filter-field.tsx";
import { ListTable } from "../../../components/list-table.tsx";
import { dialogOf } from "../../../components/opening.ts";
import { RowAction, RowButton } from "../../../components/row-action.tsx";
import { Status } from "../../../components/status.tsx";
import { Time } from "../../../components/time.tsx";
import type { Column } from "../../../components/virtual-table.tsx";
import { useScope } from "./scope.ts";

const ROW_DIALOGS = ["delete"];

function columnsOf(scope: Scope): Column<DeployedTrigger>[] {
  return [
    {
      id: "name",
      header: "Trigger",
      cell: ({ name }) => <span className="font-medium">{name}</span>,
    },
    {
      id: "user",
      header: "External user",
      width: "10rem",
      cell: ({ external_user_id: user }) => (
        <Link
          to="/connect/$project/triggers"
          params={{ project: scope.project }}
          search={(before) => ({ ...before, user })}
          title={user}
          className="truncate text-kumo-link hover:underline"
        >
          {user}
        </Link>
      ),
    },
    {
      id: "key",
      header: "Component",
      cell: ({ component_key, component_id }) => component_key ?? component_id,
    },
    {
      id: "state",
      header: "State",
      width: "11rem",
      cell: (trigger) => <StateOf trigger={trigger} />,
    },
    { id: "id", header: "Id", width: "9rem", cell: ({ id }) => <CopyText value={id} /> },
    {
      id: "created",
      header: "Deployed",
      width: "8rem",
      cell: ({ created_at }) => <Time at={created_at} />,
    },
    {
      id: "actions",
      header: "Change",
      width: "6.5rem",
      cell: (trigger) => <Actions trigger={trigger} scope={scope} />,
    },
  ];
}

/** The deployed triggers of external users. */
export function TriggersPage() {
  const scope = useScope();
  const { user } = useSearch({ from: "/shell/connect/$project/triggers" });
  return (
    <>
      <div className="mb-4">
        <FilterField label="External user" name="user" placeholder="Of one external user (id)" />
      </div>
      <ListTable
        label="Deployed triggers"
        list={triggersList(scope, user === undefined ? {} : { external_user_id: user })}
        columns={columnsOf(scope)}
        rowKey={({ id }) => id}
        dialogs={ROW_DIALOGS}
        minWidth="58rem"
        empty={
          <EmptyState
            icon={<LightningIcon size={32} className="text-kumo-subtle" />}
            title={user === undefined ? `No triggers in ${scope.env} yet` : "No trigger matches"}
            sentence="Your server deploys triggers for its users."
            command={connectCommand(scope, [
              "POST",
              "/triggers/deploy",
              {
                id: "key-of-component",
                external_user_id: "customer-1",
                webhook_url: "https://example.com/hook",
              },
            ])}
          />
        }
      />
    </>
  );
}

function StateOf({ trigger: { active, account_errors } }: { trigger: DeployedTrigger }) {
  const problem = (account_errors ?? []).map(({ prop, error }) => `${prop}: ${error}`).join("; ");
  return (
    <span className="flex min-w-0 items-center gap-2">
      <Status state={active ? "active" : "paused"} />
      {problem !== "" && (
        <span className="truncate text-sm text-kumo-danger" title={problem}>
          {problem}
        </span>
      )}
    </span>
  );
}

function Actions({
  trigger: { id, name, active },
  scope,
}: {
  trigger: DeployedTrigger;
  scope: Scope;
}) {
  const changes = [["connect", scope, "triggers"]];
  const change = useAction({
    run: () => setTriggerActive(scope, { id, active: !active }),
    done: active ? "Trigger paused" : "Trigger activated",
    changes,
  });
  return (
    <span className="flex gap-1">
      <RowButton
        label={`${active ? "Pause" : "Activate"} ${name}`}
        icon={active ? <PauseIcon /> : <PlayIcon />}
        loading={change.isPending}
        onClick={() => change.mutate()}
      />
      <RowAction
        name={dialogOf("delete", id)}
        label={`Delete ${name}`}
        title={`Delete ${name}?`}
        description="This also deletes its events, state and webhooks. Its deactivate hook runs first."
        confirmLabel="Delete trigger"
        run={() => deleteTrigger(scope, id)}
        done="Trigger deleted"
        changes={changes}
      />
    </span>
  );
}
