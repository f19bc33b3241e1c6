import { useCallback, useEffect, useEffectEvent, useRef, useState } from "react";

import { api } from "../../api/client.ts";
import { validValues } from "./check.ts";
import { withoutDrafts } from "./draft.ts";
import { type ConfigurableProp, specsOf, type Values } from "./spec.ts";

/** Delay before the component runs, so that it does not run for each letter. */
const DELAY_MS = 400;

/**
 * The props of a component for the current values. Each change of a prop with `reloadProps` sends another request to
 * `/props`, and only the response to the last change counts.
 */
export function useReloadedProps({
  component,
  declared,
  given,
  org,
}: {
  component: string;
  declared: readonly ConfigurableProp[];
  given: Values;
  org: string | undefined;
}) {
  const [begun, setBegun] = useState(declared);
  const [props, setProps] = useState(declared);
  if (begun !== declared) {
    // The code was rebuilt: values stay, for its current props.
    setBegun(declared);
    setProps(declared);
  }
  const [isReloading, setReloading] = useState(false);
  const [reloadFailure, setFailure] = useState<unknown>();
  const [attempt, setAttempt] = useState(0);
  const key = keyOf(props, given);
  const done = useRef({ key: "", attempt });
  const refresh = useEffectEvent(async (signal: AbortSignal) => {
    setReloading(true);
    setFailure(undefined);
    try {
      const next = await propsFor({ component, org, props, given }, signal);
      done.current = { key: keyOf(next, given), attempt };
      setProps(next);
    } catch (error) {
      if (!signal.aborted) setFailure(error);
    } finally {
      if (!signal.aborted) setReloading(false);
    }
  });
  useEffect(() => {
    const isDone = done.current.key === key && done.current.attempt === attempt;
    if (key === EMPTY_KEY || isDone) return;
    const controller = new AbortController();
    const timer = setTimeout(() => void refresh(controller.signal), DELAY_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- another component or workspace has other props.
  }, [component, org, key, attempt]);
  const reload = useCallback(() => setAttempt((before) => before + 1), []);
  return { props, isReloading, reloadFailure, reload };
}

const EMPTY_KEY = "{}";

/** The values that determine the dynamic props: those of props with `reloadProps`. */
function keyOf(props: readonly ConfigurableProp[], given: Values): string {
  const deciding = props.filter((prop) => prop["reloadProps"] === true);
  const values = deciding.map(({ name, ...prop }) => [
    name,
    Object.hasOwn(given, name) ? given[name] : prop["default"],
  ]);
  return JSON.stringify(withoutDrafts(Object.fromEntries(values)));
}

async function propsFor(
  place: {
    component: string;
    org: string | undefined;
    props: readonly ConfigurableProp[];
    given: Values;
  },
  signal: AbortSignal,
): Promise<ConfigurableProp[]> {
  const { component, org, props, given } = place;
  const { data } = await api.post("/components/{key}/props", {
    params: { path: { key: component } },
    body: {
      configured_props: valuesToSend(props, given),
      dynamic_props: [...props],
      ...(org !== undefined && { org_id: org }),
    },
    signal,
  });
  return data.configurable_props;
}

/** The given values that are valid, and defaults for the others. */
function valuesToSend(props: readonly ConfigurableProp[], given: Values): Values {
  const defaults = props.map(({ name, ...prop }) => [name, prop["default"]]);
  return validValues(specsOf(props), { ...Object.fromEntries(defaults), ...given });
}
