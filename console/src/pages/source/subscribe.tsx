import { Button, Input, LayerDialog } from "@cloudflare/kumo";
import { PlusIcon } from "@phosphor-icons/react";
import { useState } from "react";

import type { ListenerKind } from "../../api/listeners.ts";
import { type Source, sourceKeys, subscribe } from "../../api/sources.ts";
import { useAction } from "../../components/action.ts";
import { Choice } from "../../components/choice.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { useOpening } from "../../components/opening.ts";
import { Candidates } from "./candidates.tsx";

const KINDS: { value: ListenerKind; label: string }[] = [
  { value: "webhook", label: "Webhook" },
  { value: "workflow", label: "Workflow" },
  { value: "source", label: "Source" },
];

/** Subscribes a webhook, a workflow or another source to a source's events. */
export function Subscribe({ source }: { source: Source }) {
  const { isOpen, setOpen } = useOpening("subscribe");
  const [kind, setKind] = useState<ListenerKind>("webhook");
  const [listener, setListener] = useState<string>();
  const [channel, setChannel] = useState("");
  const [filter, setFilter] = useState("");
  const subscription = useAction({
    run: (listenerId: string) =>
      subscribe({
        emitter_id: source.id,
        listener_id: listenerId,
        event_name: channel.trim(),
        ...(filter.trim() !== "" && { filter: filter.trim() }),
      }),
    done: "Subscribed",
    changes: [sourceKeys.part(source.id, "listeners")],
    isFailureShown: true,
    onDone: () => setOpen(false),
  });
  const choose = (chosen: ListenerKind) => {
    setKind(chosen);
    setListener(undefined);
  };
  return (
    <LayerDialog.Root open={isOpen} onOpenChange={setOpen} dismissDisabled={subscription.isPending}>
      <LayerDialog.Trigger
        render={
          <Button variant="primary" icon={<PlusIcon />}>
            Subscribe
          </Button>
        }
      />
      <LayerDialog.Content>
        <LayerDialog.Title>Subscribe to “{source.name}”</LayerDialog.Title>
        <LayerDialog.Body>
          <div className="flex flex-col gap-4">
            <Choice label="Kind of listener" options={KINDS} value={kind} onChange={choose} />
            <Candidates kind={kind} except={source.id} chosen={listener} onChoose={setListener} />
            <Input
              label="Channel"
              description="Empty: the default one. Also $errors, $logs and $alerts."
              value={channel}
              onChange={(event) => setChannel(event.target.value)}
            />
            <Input
              label="Filter"
              description={
                'An expression that events must match, such as event.status == "paid". Empty: all.'
              }
              className="font-mono"
              value={filter}
              onChange={(event) => setFilter(event.target.value)}
            />
            {subscription.error && <FailureNotice error={subscription.error} />}
          </div>
        </LayerDialog.Body>
        <LayerDialog.Actions dismissLabel="Cancel">
          <LayerDialog.Actions.Primary
            loading={subscription.isPending}
            disabled={listener === undefined || subscription.isPending}
            onClick={() => listener !== undefined && subscription.mutate(listener)}
          >
            Subscribe
          </LayerDialog.Actions.Primary>
        </LayerDialog.Actions>
      </LayerDialog.Content>
    </LayerDialog.Root>
  );
}
