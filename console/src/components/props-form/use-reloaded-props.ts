import { useCallback, useEffect, useRef, useState } from "react";

import { api } from "../../api/client.ts";
import { withoutDrafts } from "./draft.ts";
import { type ConfigurableProp, type Values } from "./spec.ts";

/** The component is run after this pause, so that it is not run for each letter. */
const DELAY_MS = 400;

/**
 * The props that a component has for the values so far. It is asked again, by `/props`, whenever a prop with `reloadProps`
 * changes, and only the answer to the last change counts.
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
    // The code was built anew: what was given stays, for the props that it has now.
    setBegun(declared);
    setProps(declared);
  }
  const [isReloading, setReloading] = useState(false);
  const [reloadFailure, setFailure] = useState<unknown>();
  const [attempt, setAttempt] = useState(0);
  const key = keyOf(props, given);
  const latest = useRef({ props, given, key: "", attempt });
  latest.current = { ...latest.current, props, given };
  useEffect(() => {
    const done = latest.current;
    if (key === EMPTY_KEY || (done.key === key && done.attempt === attempt)) return;
    const controller = new AbortController();
    const ask = async () => {
      setReloading(true);
      setFailure(undefined);
      try {
        const place = { component, org, ...latest.current };
        const next = await propsFor(place, controller.signal);
        latest.current = { ...latest.current, key: keyOf(next, latest.current.given), attempt };
        setProps(next);
      } catch (error) {
        if (!controller.signal.aborted) setFailure(error);
      } finally {
        if (!controller.signal.aborted) setReloading(false);
      }
    };
    const timer = setTimeout(() => void ask(), DELAY_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [component, org, key, attempt]);
  const reload = useCallback(() => setAttempt((before) => before + 1), []);
  return { props, isReloading, reloadFailure, reload };
}

const EMPTY_KEY = "{}";

/** What decides which props there are: the values of those with `reloadProps`. */
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

/** What was given, and the defaults of what was not. */
function valuesToSend(props: readonly ConfigurableProp[], given: Values): Values {
  const defaults = props.map(({ name, ...prop }) => [name, prop["default"]]);
  return withoutDrafts({ ...Object.fromEntries(defaults), ...given });
}
