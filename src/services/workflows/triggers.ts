import { TIMER_INTERFACE } from "#domain/definition.ts";
import { invalidInput } from "#domain/errors.ts";
import type { Json } from "#domain/json.ts";
import { checkTimer } from "#domain/timer-prop.ts";
import type { WorkflowTrigger } from "#domain/workflows.ts";

/** A trigger in a request. */
export type TriggerInput = { type: WorkflowTrigger["type"]; schedule: { [key: string]: Json } };

/** Check a trigger. An existing `endpointKey` is kept: others use its URL. */
export function triggerOf(
  { type, schedule: given }: TriggerInput,
  endpointKey: string,
): WorkflowTrigger {
  if (type !== "timer") return { type, endpointKey, schedule: null };
  const checked = checkTimer({ name: "trigger", type: TIMER_INTERFACE }, given);
  if (checked && "value" in checked) return { type, endpointKey, schedule: checked.value };
  throw invalidInput([{ path: "trigger", message: checked?.problem ?? "needs a schedule" }]);
}
