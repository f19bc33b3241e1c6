import type { Delivery } from "../api/webhooks.ts";
import { EmitterLink } from "./emitter-link.tsx";
import { formatDuration } from "./format.ts";
import { Status } from "./status.tsx";
import { Time } from "./time.tsx";
import type { Column } from "./virtual-table.tsx";

/** The states of deliveries, as choices. */
export const DELIVERY_STATES: [value: string, label: string][] = [
  ["", "All"],
  ["pending", "Pending"],
  ["delivered", "Delivered"],
  ["failed", "Waiting for a retry"],
  ["dead", "Dead"],
];

/** The common columns of lists of deliveries. `names`: those of emitters, by their ids. */
export function deliveryColumns(names?: ReadonlyMap<string, string>): Column<Delivery>[] {
  return [STATE_COLUMN, fromColumn(names), ...ATTEMPT_COLUMNS];
}

const STATE_COLUMN: Column<Delivery> = {
  id: "state",
  header: "State",
  width: "8.5rem",
  cell: ({ state }) => <Status state={state} />,
};

const ATTEMPT_COLUMNS: Column<Delivery>[] = [
  {
    id: "status",
    header: "Response",
    width: "9rem",
    cell: ({ attempts }) => <LastResponse attempt={attempts.at(-1)} />,
  },
  {
    id: "latency",
    header: "Latency",
    width: "7rem",
    align: "right",
    cell: ({ attempts }) => <Latency attempt={attempts.at(-1)} />,
  },
  {
    id: "attempts",
    header: "Attempts",
    width: "6rem",
    align: "right",
    cell: ({ attempts }) => attempts.length,
  },
  { id: "when", header: "Last attempt", width: "9rem", cell: (row) => <LastAttempt {...row} /> },
];

function fromColumn(names: ReadonlyMap<string, string> | undefined): Column<Delivery> {
  return {
    id: "emitter",
    header: "From",
    cell: ({ emitter_id: id, event_name }) => (
      <span title={id}>
        <EmitterLink id={id} name={names?.get(id) ?? id} />
        {event_name !== "" && <span className="text-kumo-subtle"> · {event_name}</span>}
      </span>
    ),
  };
}

function LastResponse({ attempt }: { attempt: Delivery["attempts"][number] | undefined }) {
  if (!attempt) return <span className="text-kumo-subtle">–</span>;
  const { status, error } = attempt;
  return (
    <span className="tabular-nums" title={error}>
      {status === null ? (error ?? "No response") : `HTTP ${status}`}
    </span>
  );
}

function Latency({ attempt }: { attempt: Delivery["attempts"][number] | undefined }) {
  return attempt ? formatDuration(attempt.latency_ms) : "–";
}

function LastAttempt({ attempts, next_attempt_at }: Delivery) {
  const last = attempts.at(-1);
  if (last) return <Time at={last.at_ms} />;
  return next_attempt_at === undefined ? "–" : <Time at={next_attempt_at} />;
}
