import type { Candidate } from "#domain/dedupe.ts";
import {
  type Emission,
  type Failure,
  inEmissionOrder,
  isStorable,
  newFailure,
} from "#domain/invocation.ts";
import { MAX_EVENT_BYTES } from "#domain/row-size.ts";
import type { EventHistory } from "#durable-objects/emitter/history.ts";

type LimitedEmissions = { emissions: (Emission & Candidate)[]; failures: Failure[] };

/** The emissions of a run that there is room for, in the order of emission, and the failures that report the others. */
export function limitEmissions(
  emitted: readonly Emission[],
  { channels, backlog }: EventHistory,
  nowMs: number,
): LimitedEmissions {
  const storable = inEmissionOrder(emitted.filter(isStorable));
  const { admitted, failures } = channels.admit(storable, ({ name }) => name);
  const isDelayed = ({ deliveryTs = 0 }: Emission): boolean => deliveryTs > nowMs;
  const hasRoom = !admitted.some(isDelayed) || !backlog.isFullOfDelayed();
  const emissions = hasRoom ? admitted : admitted.filter((one) => !isDelayed(one));
  return {
    emissions,
    failures: [
      ...refusals(
        emitted.length - storable.length,
        `an event may take at most ${MAX_EVENT_BYTES} bytes with its name, id and summary`,
      ),
      ...failures,
      ...refusals(
        admitted.length - emissions.length,
        "the events that wait for their delivery_ts may take at most 128 MB",
      ),
    ],
  };
}

function refusals(count: number, rule: string): Failure[] {
  return count === 0
    ? []
    : [newFailure("RangeError", `$emit: ${count} events were not kept: ${rule}`)];
}
