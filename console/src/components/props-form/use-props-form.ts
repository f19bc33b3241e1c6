import { useCallback, useMemo, useState } from "react";

import { apiProblems } from "./api-problems.ts";
import { problemsOf, validValues } from "./check.ts";
import { withoutDrafts } from "./draft.ts";
import { type ConfigurableProp, type PropSpec, specsOf, type Values } from "./spec.ts";
import { useReloadedProps } from "./use-reloaded-props.ts";

/** The input of a form. */
type PropsFormOptions = {
  /** The id or key of the component. */
  component: string;
  declared: readonly ConfigurableProp[];
  /** The current values of a source; absent: it is new. */
  configured?: Values;
  /** The workspace that owns the source. */
  org: string | undefined;
};

/** The state of a form: its fields, their values and their errors. */
export type PropsFormState = {
  component: string;
  org: string | undefined;
  isNew: boolean;
  props: readonly ConfigurableProp[];
  specs: PropSpec[];
  values: Values;
  /** The values for `/options`, without incomplete and invalid ones. */
  sent: Values;
  problems: Record<string, string>;
  isReloading: boolean;
  reloadFailure: unknown;
  reload: () => void;
  setValue: (name: string, value: unknown) => void;
  /** Shows every problem. Returns whether there is none. */
  check: () => boolean;
  /** Shows the API's errors at their fields. Returns whether there were any. */
  refuse: (error: unknown) => boolean;
  /** The values for the deployment. For an existing source, null clears a value. */
  submitted: () => Values;
};

/** The state of a form over the props of a component. */
export function usePropsForm(options: PropsFormOptions): PropsFormState {
  const { component, declared, configured, org } = options;
  const [given, setGiven] = useState<Values>(() => ({ ...configured }));
  const [shown, setShown] = useState<ReadonlySet<string>>(new Set());
  const [refused, setRefused] = useState<Record<string, string>>({});
  const reloaded = useReloadedProps({ component, declared, given, org });
  const { props } = reloaded;
  const specs = useMemo(() => specsOf(props), [props]);
  const values = useMemo(() => valuesOf(specs, given), [specs, given]);
  const sent = useMemo(() => validValues(specs, values), [specs, values]);
  const kept = useMemo(() => keptSecrets(specs, given, configured), [specs, given, configured]);
  const found = useMemo(() => problemsOf(specs, values, kept), [specs, values, kept]);
  const setValue = useCallback((name: string, value: unknown) => {
    setGiven((before) => ({ ...before, [name]: value }));
    setShown((before) => new Set(before).add(name));
    setRefused((before) => without(before, name));
  }, []);
  const check = () => {
    setShown(new Set(specs.map(({ name }) => name)));
    return Object.keys(found).length === 0;
  };
  const refuse = (error: unknown) => {
    const problems = apiProblems(error);
    setRefused(problems);
    return specs.some(({ name }) => name in problems);
  };
  return {
    component,
    org,
    isNew: configured === undefined,
    ...reloaded,
    specs,
    values,
    sent,
    problems: { ...only(found, shown), ...refused },
    setValue,
    check,
    refuse,
    submitted: () => ({ ...withoutDrafts(values), ...cleared(specs, values, configured) }),
  };
}

/** The values of the fields: the given ones, else the defaults. An untouched switch is off. */
function valuesOf(specs: PropSpec[], given: Values): Values {
  return Object.fromEntries(specs.map((spec) => [spec.name, valueOf(spec, given)]));
}

function valueOf(spec: PropSpec, given: Values): unknown {
  if (spec.fixed !== undefined) return undefined;
  if (Object.hasOwn(given, spec.name)) return given[spec.name] ?? undefined;
  if (spec.default !== undefined) return spec.default;
  return spec.type === "boolean" && !spec.isList && !spec.isOptional ? false : undefined;
}

/** Secrets are never shown: those of an existing source are kept unless they are replaced. */
function keptSecrets(specs: PropSpec[], given: Values, configured: Values | undefined) {
  if (!configured) return new Set<string>();
  const secrets = specs.filter(({ name, isSecret }) => isSecret && given[name] === undefined);
  return new Set(secrets.map(({ name }) => name));
}

/** Removed values of a source. */
function cleared(specs: PropSpec[], values: Values, configured: Values = {}): Values {
  const gone = specs.filter(
    ({ name, fixed }) =>
      fixed === undefined && values[name] === undefined && (configured[name] ?? null) !== null,
  );
  return Object.fromEntries(gone.map(({ name }) => [name, null]));
}

function without(problems: Record<string, string>, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(problems).filter(([one]) => one !== name));
}

function only(problems: Record<string, string>, names: ReadonlySet<string>) {
  return Object.fromEntries(Object.entries(problems).filter(([name]) => names.has(name)));
}
