import { TIMER_INTERFACE } from "#domain/definition.ts";
import { invalidInput } from "#domain/errors.ts";
import { type Id, newToken } from "#domain/ids.ts";
import type { Json } from "#domain/json.ts";
import { checkTimer } from "#domain/timer-prop.ts";
import type { WorkflowTrigger } from "#domain/workflows.ts";

/** A trigger as a caller gives it. */
export type TriggerInput = { type: WorkflowTrigger["type"]; schedule: { [key: string]: Json } };

/** Check a trigger. `endpointKey` stays what it was, where there was one: URLs are known to others. */
export function triggerOf(
  id: Id<"workflow">,
  { type, schedule: given }: TriggerInput,
  endpointKey: string = newEndpoint(id),
): WorkflowTrigger {
  if (type !== "timer") return { type, endpointKey, schedule: null };
  const checked = checkTimer({ name: "trigger", type: TIMER_INTERFACE }, given);
  if (checked && "value" in checked) return { type, endpointKey, schedule: checked.value };
  throw invalidInput([{ path: "trigger", message: checked?.problem ?? "needs a schedule" }]);
}

/** The token of the workflow's id comes first, so that an event finds it without a look-up; `p` marks a workflow. */
function newEndpoint(id: Id<"workflow">): string {
  return `p${id.slice("p_".length)}${newToken()}`;
}
