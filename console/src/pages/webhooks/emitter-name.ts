import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { type Emitter, emittersQuery } from "../../api/webhooks.ts";

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

/** The names of a webhook's subscribed emitters, by their ids. */
export function useEmitterNames(webhook: string): ReadonlyMap<string, string> {
  const { data } = useQuery(emittersQuery(webhook));
  return useMemo(
    () =>
      new Map(
        data?.flatMap(({ id, name }): [string, string][] => (name === null ? [] : [[id, name]])),
      ),
    [data],
  );
}
