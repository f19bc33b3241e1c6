import type { Emitter } from "../../api/webhooks.ts";

/** The names of subscriptions to more than one emitter. */
export const EVERY: Partial<Record<Emitter["type"], string>> = {
  all_sources: "All sources",
  all_workflows: "All workflows",
  owner: "All emitters of the owner",
};

/** The name of the emitter, or emitters, of a subscription. */
export function emitterName({ type, name, emitter_id: id }: Emitter): string {
  return EVERY[type] ?? name ?? id;
}
