import { Button, DropdownMenu } from "@cloudflare/kumo";
import {
  ArrowCounterClockwiseIcon,
  CaretDownIcon,
  PlayIcon,
  ProhibitIcon,
} from "@phosphor-icons/react";
import { useRouter } from "@tanstack/react-router";

import { api } from "../../api/client.ts";
import { useAction } from "../../components/action.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { JsonDialog } from "./json-dialog.tsx";
import { hasEnded, type RunDetails } from "./queries.ts";

type RunProps = { workflowId: string; run: RunDetails };

/** The actions on a run: repeat one that has ended, resume or cancel one that has not. */
export function RunActions(props: RunProps) {
  if (hasEnded(props.run)) return <Rerun {...props} />;
  return (
    <>
      {props.run.state === "waiting" && <Resume {...props} />}
      <Cancel {...props} />
    </>
  );
}

function Rerun({ workflowId, run }: RunProps) {
  const router = useRouter();
  const rerun = useAction({
    run: async (step: string | undefined) =>
      (
        await api.post("/workflows/{id}/runs/{run}/rerun", {
          params: { path: { id: workflowId, run: run.id } },
          body: { ...(step !== undefined && { from_step: step }) },
        })
      ).data,
    done: "The run is repeated",
    changes: [["workflows", workflowId]],
    onDone: (begun) =>
      void router.navigate({
        to: "/workflows/$id/runs/$run",
        params: { id: workflowId, run: begun.id },
      }),
  });
  const steps = stepsToBeginAt(run);
  return (
    <>
      <Button
        icon={<ArrowCounterClockwiseIcon />}
        loading={rerun.isPending}
        onClick={() => rerun.mutate(undefined)}
      >
        Run again
      </Button>
      {steps.length > 0 && (
        <DropdownMenu>
          <DropdownMenu.Trigger
            render={
              <Button icon={<CaretDownIcon />} disabled={rerun.isPending}>
                From a step
              </Button>
            }
          />
          <DropdownMenu.Content>
            {steps.map((name) => (
              <DropdownMenu.Item key={name} onClick={() => rerun.mutate(name)}>
                {name}
              </DropdownMenu.Item>
            ))}
          </DropdownMenu.Content>
        </DropdownMenu>
      )}
    </>
  );
}

/** The steps after the first one, as far as all earlier ones succeeded in the end. */
function stepsToBeginAt({ steps }: RunDetails): string[] {
  const last = new Map(steps.map(({ name, state }) => [name, state]));
  const names = [...last.keys()];
  const failed = names.findIndex((name) => last.get(name) === "failed");
  return names.slice(1, failed === -1 ? undefined : failed + 1);
}

function Resume({ workflowId, run }: RunProps) {
  const resume = useAction({
    run: (data: unknown) =>
      api.post("/workflows/{id}/runs/{run}/resume", {
        params: { path: { id: workflowId, run: run.id } },
        body: { ...(data !== undefined && { data }) },
      }),
    done: "The run continues",
    changes: [["workflows", workflowId]],
    isFailureShown: true,
  });
  return (
    <JsonDialog
      name="resume"
      trigger={
        <Button variant="primary" icon={<PlayIcon />}>
          Resume
        </Button>
      }
      title="Resume the run"
      description="The step after the pause reads this JSON as $resume_data. Empty: none."
      label="Data"
      initial="{}"
      confirmLabel="Resume"
      onConfirm={(data) => resume.mutateAsync(data)}
    />
  );
}

function Cancel({ workflowId, run }: RunProps) {
  const cancel = useAction({
    run: () =>
      api.post("/workflows/{id}/runs/{run}/cancel", {
        params: { path: { id: workflowId, run: run.id } },
      }),
    done: "The run was cancelled",
    changes: [["workflows", workflowId]],
    isFailureShown: true,
  });
  return (
    <ConfirmDialog
      name="cancel"
      trigger={
        <Button variant="secondary-destructive" icon={<ProhibitIcon />}>
          Cancel
        </Button>
      }
      title="Cancel the run?"
      description="Its remaining steps are not executed. Effects of completed steps are not undone."
      confirmLabel="Cancel the run"
      onConfirm={() => cancel.mutateAsync()}
    />
  );
}
