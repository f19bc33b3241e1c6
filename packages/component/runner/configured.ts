import { componentWarnings } from "../../../src/domain/component-warnings.ts";
import {
  type ComponentDefinition,
  DATA_STORE,
  HTTP_INTERFACE,
  type PropDefinition,
} from "../../../src/domain/definition.ts";
import type { Issue } from "../../../src/domain/errors.ts";
import type { Json } from "../../../src/domain/json.ts";
import { readDefinition } from "../../../src/domain/parse-definition.ts";
import {
  additionalProps,
  checkDeclared,
  checkProps,
  type PropsCheckResult,
  type Values,
} from "../../../src/domain/props.ts";
import type { Evaluation, Instance } from "../../../src/sandbox/user-code.ts";
import type { Records } from "../driver/stores.ts";
import { failureError } from "./failure.ts";
import type { Runtime } from "./runtime.ts";

const SOURCE_ID = "dc_test";

/** The id of the run in a test. */
export const RUN_ID = "run_test";

/** Props with accounts or stores as values on a platform, and their contents in a test. */
const OF_TEST: ReadonlySet<string> = new Set(["app", DATA_STORE]);

/** A component with its values, for the harness. */
export type Configured = {
  definition: ComponentDefinition;
  warnings: string[];
  values: Values;
  instance: Instance;
  stores: Records;
};

/** The test's input for any component. `db`: JSON text by key. */
export type GivenValues = {
  props?: Record<string, unknown>;
  db?: Record<string, string>;
  deadlineMs: number;
};

/** Read the definition of a component, and configure it like a platform. Throws the errors of either. */
export async function configured(
  { send }: Pick<Runtime, "send">,
  { props: given = {}, db = {}, deadlineMs }: GivenValues,
  map: string,
): Promise<Configured> {
  const read = (evaluation: Evaluation): string => {
    if (!evaluation.ok) throw failureError(evaluation.failure, map);
    return evaluation.value;
  };
  const text = read(await send<Evaluation>({ kind: "describe" }));
  const declared = definitionIn(text);
  const warnings = componentWarnings(text);
  const before = instanceOf(declared.props, given, { db, isUnfinished: declared.dynamic });
  if (!declared.dynamic) return { definition: declared, warnings, ...before };
  const { instance, stores } = before;
  const request = {
    kind: "configuration" as const,
    instance,
    previous: "[]",
    deadlineMs,
  };
  const definition = definitionIn(read(await send({ kind: "evaluate", request, stores })));
  const after = instanceOf(definition.props, given, { db, isUnfinished: false });
  const added = additionalProps(declared.props, definition.props);
  const additional = added.length > 0 ? JSON.stringify(added) : "";
  return { definition, warnings, ...after, instance: { ...after.instance, additional } };
}

function definitionIn(text: string): ComponentDefinition {
  const definition = readDefinition(text);
  if (Array.isArray(definition)) throw new TypeError(sentenceOf(definition));
  return definition;
}

type InstanceTerms = { db: Record<string, string>; isUnfinished: boolean };

function instanceOf(
  props: readonly PropDefinition[],
  given: Record<string, unknown>,
  { db, isUnfinished }: InstanceTerms,
): Pick<Configured, "values" | "instance" | "stores"> {
  const ofTest = props.filter(({ type }) => OF_TEST.has(type));
  const others = props.filter(({ type }) => !OF_TEST.has(type));
  const contents = new Map(ofTest.map(({ name, type }) => [name, { type, value: given[name] }]));
  const plain = Object.entries(given).filter(([name]) => !contents.has(name));
  // Through JSON, like values on a platform.
  const sent: Values = JSON.parse(JSON.stringify(Object.fromEntries(plain)));
  const values = valuesIn((isUnfinished ? checkDeclared : checkProps)(others, sent));
  const shown = [...contents].map(([name, { type, value }]) => [
    name,
    type === "app" ? (value ?? {}) : name,
  ]);
  const http = props.filter(({ type }) => type === HTTP_INTERFACE);
  return {
    values,
    stores: Object.fromEntries(
      [...contents]
        .filter(([, { type }]) => type === DATA_STORE)
        .map(([name, { value }]) => [name, jsonByKey(value)]),
    ),
    instance: {
      sourceId: SOURCE_ID,
      props: JSON.stringify({ ...values, ...Object.fromEntries(shown) }),
      endpoints: Object.fromEntries(
        http.map(({ name }) => [name, `https://endpoint.test/${name}`]),
      ),
      db,
      additional: "",
    },
  };
}

function valuesIn(result: PropsCheckResult): Values {
  if (result.ok) return result.values;
  throw new TypeError(sentenceOf(result.issues).replaceAll("configured_props.", "props."));
}

function sentenceOf(issues: readonly Issue[]): string {
  return issues.map(({ path, message }) => `${path}: ${message}`).join("; ");
}

/** JSON text by key. */
export function jsonByKey(values: unknown): Record<string, string> {
  const entries: [string, Json][] = Object.entries(Object(values));
  return Object.fromEntries(entries.map(([key, value]) => [key, JSON.stringify(value)]));
}
