import { Button } from "@cloudflare/kumo";
import { PauseIcon, PlayIcon, TrashIcon } from "@phosphor-icons/react";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";

import {
  activateSource,
  deleteSource,
  emittersQuery,
  type Link,
  listenersQuery,
  type Source,
  sourceKeys,
} from "../../api/sources.ts";
import { useAction } from "../../components/action.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { formatCount } from "../../components/format.ts";
import { TestEvent } from "./test-event.tsx";
import { endpointsOf } from "./triggers.ts";

/** The actions on a source. */
export function SourceActions({ source }: { source: Source }) {
  const { id, name, active } = source;
  const activation = useAction({
    run: () => activateSource(id, !active),
    done: active ? `“${name}” is paused` : `“${name}” runs again`,
    changes: [sourceKeys.all, ["overview"]],
  });
  return (
    <>
      <TestEvent source={source} />
      <Button
        icon={active ? <PauseIcon /> : <PlayIcon />}
        loading={activation.isPending}
        onClick={() => activation.mutate()}
      >
        {active ? "Pause" : "Resume"}
      </Button>
      <DeleteSource source={source} />
    </>
  );
}

function DeleteSource({ source: { id, name, configured_props: props } }: { source: Source }) {
  const router = useRouter();
  const { data: listeners = [] } = useQuery(listenersQuery(id));
  const { data: emitters = [] } = useQuery(emittersQuery(id));
  const deletion = useAction({
    run: () => deleteSource(id),
    deletes: id,
    done: `“${name}” was deleted`,
    changes: [["sources", "list"], ["overview"], ["search"]],
    isFailureShown: true,
    onDone: () => void router.navigate({ to: "/sources", replace: true }),
  });
  const endpoints = endpointsOf(props);
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
      confirmLabel="Delete the source"
      onConfirm={() => deletion.mutateAsync()}
    >
      <ul className="list-disc pl-5 text-kumo-subtle">
        <li>its state, its timers and its versions</li>
        <li>its stored events, logs and errors</li>
        {endpoints.map((url) => (
          <li key={url} className="break-all">
            its endpoint, {url}
          </li>
        ))}
        {listeners.length > 0 && (
          <li>
            {formatCount(listeners.length, "subscription")}: {namesOf(listeners)} will receive
            nothing more
          </li>
        )}
        {emitters.length > 0 && (
          <li>
            {formatCount(emitters.length, "subscription")} to events of {namesOf(emitters)}
          </li>
        )}
      </ul>
    </ConfirmDialog>
  );
}

function namesOf(links: Link[]): string {
  return links.map(({ name, id }) => name ?? id).join(", ");
}
