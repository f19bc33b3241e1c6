import { Button, LayerDialog } from "@cloudflare/kumo";
import { ClockCounterClockwiseIcon } from "@phosphor-icons/react";
import { type FormEvent, useId, useState } from "react";

import { replayDeliveries, type Span, type WebhookDetails } from "../../api/webhooks.ts";
import { useAction } from "../../components/action.ts";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { type FormField, FormFields, type Values } from "../../components/form-fields.tsx";
import { formatCount } from "../../components/format.ts";
import { useOpening } from "../../components/opening.ts";

const HOUR_MS = 3_600_000;

/** Sends all deliveries of a span again, after showing their number. */
export function Replay({ webhook }: { webhook: WebhookDetails }) {
  const { isOpen, key, setOpen } = useOpening("replay");
  return (
    <LayerDialog.Root open={isOpen} onOpenChange={setOpen}>
      <LayerDialog.Trigger
        render={<Button icon={<ClockCounterClockwiseIcon />}>Replay a time span</Button>}
      />
      <ReplayForm key={key} id={webhook.id} onDone={() => setOpen(false)} />
    </LayerDialog.Root>
  );
}

function ReplayForm({ id, onDone }: { id: string; onDone: () => void }) {
  const formId = useId();
  const [values, setValues] = useState<Values>(lastHour);
  const count = useAction({
    run: (span: Span) => replayDeliveries(id, { span, isDryRun: true }),
    done: (found) => `${formatCount(found, "delivery", "deliveries")} in the span`,
    isFailureShown: true,
  });
  const replay = useAction({
    run: (span: Span) => replayDeliveries(id, { span, isDryRun: false }),
    done: (sent) => `${formatCount(sent, "delivery", "deliveries")} sent again`,
    changes: [["webhooks", id]],
    onDone,
    isFailureShown: true,
  });
  const step = count.data === undefined ? count : replay;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    step.mutate(spanOf(values));
  };
  const set = (name: string, value: string) => {
    setValues({ ...values, [name]: value });
    count.reset();
  };
  const failure = step.error;
  return (
    <LayerDialog.Content size="sm">
      <LayerDialog.Title>Replay a time span</LayerDialog.Title>
      <LayerDialog.Description>
        Every delivery of the span is sent now, also those that wait for a retry, with its first
        webhook-id, so a receiver that drops duplicates processes only those that it missed.
      </LayerDialog.Description>
      <LayerDialog.Body>
        <form id={formId} onSubmit={submit} className="flex flex-col gap-4">
          <FormFields fields={FIELDS} values={values} set={set} />
          {count.data !== undefined && (
            <output className="block font-medium">
              {formatCount(count.data, "delivery", "deliveries")} would be sent again.
            </output>
          )}
          {failure && <FailureNotice error={failure} />}
        </form>
      </LayerDialog.Body>
      <LayerDialog.Actions dismissLabel="Cancel">
        <LayerDialog.Actions.Primary
          type="submit"
          form={formId}
          loading={step.isPending}
          disabled={step.isPending || count.data === 0}
        >
          {labelOf(count.data)}
        </LayerDialog.Actions.Primary>
      </LayerDialog.Actions>
    </LayerDialog.Content>
  );
}

const FIELDS: FormField[] = [
  { name: "from", label: "From", kind: "datetime-local", isRequired: true },
  { name: "to", label: "To", kind: "datetime-local", isRequired: true },
];

function labelOf(found: number | undefined): string {
  if (found === undefined) return "Count first";
  return found === 0 ? "Nothing to send" : `Send ${formatCount(found, "delivery", "deliveries")}`;
}

function spanOf({ from = "", to = "" }: Values): Span {
  return { from_ms: new Date(from).getTime(), to_ms: new Date(to).getTime() };
}

/** The last hour, including the current minute. */
function lastHour(): Values {
  const nowMs = Date.now();
  return { from: localTime(nowMs - HOUR_MS), to: localTime(nowMs + 60_000) };
}

/** A time in the format of local time fields, to the minute. */
function localTime(atMs: number): string {
  const offsetMs = new Date(atMs).getTimezoneOffset() * 60_000;
  return new Date(atMs - offsetMs).toISOString().slice(0, "2026-01-01T00:00".length);
}
