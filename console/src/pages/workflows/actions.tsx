import { Button } from "@cloudflare/kumo";
import { PauseIcon, PlayIcon, TrashIcon } from "@phosphor-icons/react";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";

import { api } from "../../api/client.ts";
import { useAction } from "../../components/action.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { useIsDeleted } from "../../components/deletion.ts";
import { JsonDialog } from "./json-dialog.tsx";
import { runsQuery, type Workflow } from "./queries.ts";

/** The actions on a workflow. */
export function WorkflowActions({ workflow }: { workflow: Workflow }) {
  return (
    <>
      <RunNow workflow={workflow} />
      <Activation workflow={workflow} />
      <DeleteWorkflow workflow={workflow} />
    </>
  );
}

function RunNow({ workflow: { id, active } }: { workflow: Workflow }) {
  const router = useRouter();
  const run = useAction({
    run: async (event: unknown) =>
      (
        await api.post("/workflows/{id}/runs", {
          params: { path: { id } },
          body: { ...(event !== undefined && { event }) },
        })
      ).data,
    done: "The run began",
    changes: [["workflows", id]],
    isFailureShown: true,
    onDone: (begun) =>
      void router.navigate({
        to: "/workflows/$id/runs/$run",
        params: { id, run: begun.id },
        replace: true,
      }),
  });
  return (
    <JsonDialog
      name="run"
      trigger={
        <Button variant="primary" icon={<PlayIcon />} disabled={!active}>
          Run now
        </Button>
      }
      title="Run now"
      description="The steps read this JSON as steps.trigger.event."
      label="Event"
      initial="{}"
      confirmLabel="Run"
      onConfirm={(event) => run.mutateAsync(event)}
    />
  );
}

function Activation({ workflow: { id, name, active } }: { workflow: Workflow }) {
  const activation = useAction({
    run: () => api.put("/workflows/{id}", { params: { path: { id } }, body: { active: !active } }),
    done: active ? `“${name}” is paused` : `“${name}” is active`,
    changes: [["workflows"], ["overview"]],
  });
  return (
    <Button
      icon={active ? <PauseIcon /> : <PlayIcon />}
      loading={activation.isPending}
      onClick={() => activation.mutate()}
    >
      {active ? "Pause" : "Activate"}
    </Button>
  );
}

function DeleteWorkflow({ workflow: { id, name, trigger } }: { workflow: Workflow }) {
  const router = useRouter();
  const isDeleted = useIsDeleted(id);
  const { data: runs } = useQuery({ ...runsQuery(id, undefined), enabled: !isDeleted });
  const deletion = useAction({
    run: () => api.delete("/workflows/{id}", { params: { path: { id } } }),
    deletes: id,
    done: `“${name}” was deleted`,
    changes: [["workflows", "list"], ["overview"], ["search"]],
    isFailureShown: true,
    onDone: () => void router.navigate({ to: "/workflows", replace: true }),
  });
  const count = runs?.page_info.total_count ?? 0;
  return (
    <ConfirmDialog
      name="delete"
      trigger={
        <Button variant="secondary-destructive" icon={<TrashIcon />}>
          Delete
        </Button>
      }
      title={`Delete “${name}”?`}
      description="This cannot be undone. It also deletes:"
      confirmLabel="Delete the workflow"
      onConfirm={() => deletion.mutateAsync()}
    >
      <ul className="list-disc pl-5 text-kumo-subtle">
        <li>{count > 0 ? `its ${count} runs, with their logs` : "its logs and events"}</li>
        <li>all of its versions</li>
        <li>its subscriptions, those to its events included</li>
        {trigger.endpoint_url !== undefined && (
          <li className="break-all">its endpoint, {trigger.endpoint_url}</li>
        )}
      </ul>
    </ConfirmDialog>
  );
}
