import { componentById, componentByKey } from "#db/components.ts";
import { HTTP_INTERFACE, type PropDefinition, TIMER_INTERFACE } from "#domain/definition.ts";
import { type Issue, notFound, RequestError } from "#domain/errors.ts";
import { compileProps, expressionModule } from "#domain/expressions.ts";
import { sha256Hex } from "#domain/hash.ts";
import type { Id, OwnerId } from "#domain/ids.ts";
import { additionalProps, shownValues, type Values } from "#domain/props.ts";
import type { StepRetries, WorkflowStep } from "#domain/workflows.ts";
import type { PlannedStep } from "#durable-objects/workflow/contract.ts";
import type { ScriptLabels } from "#sandbox/script.ts";
import { placeOfStep, sealSecrets } from "#vault/secret-props.ts";

import type { Component } from "../components.ts";
import type { AppContext } from "../context.ts";
import { evaluate } from "../evaluation.ts";
import { builtComponent } from "../registry-imports/built.ts";
import { labelsOf } from "../scripts.ts";
import { configure } from "../sources/configuration.ts";

/** A step in a request. */
export type StepInput = {
  name: string;
  code?: string | undefined;
  componentId?: Id<"component"> | undefined;
  key?: string | undefined;
  props: Values;
  account?: Id<"account"> | undefined;
  retries?: StepRetries | undefined;
};

/** A step, as it runs and as it is shown. */
export type PreparedStep = { planned: PlannedStep; shown: WorkflowStep };

/** Props that only sources have. */
const SOURCE_PROPS = new Set([HTTP_INTERFACE, TIMER_INTERFACE]);

/** The wrapper of inline code, which may omit required fields of components, and may be only a function. */
const INLINE = `import given from "./component.js";
const component = typeof given === "function" ? { run: given } : given;
export default { name: "Inline code", version: "0.0.1", ...component, type: "action" };
`;

/** Prepare a step of a workflow: find or build its component, check its props and compile their expressions. */
export async function prepareStep(
  ctx: AppContext,
  owner: OwnerId,
  input: StepInput,
): Promise<PreparedStep> {
  try {
    return await prepare(ctx, owner, input);
  } catch (error) {
    throw error instanceof RequestError ? ofStep(input.name, error) : error;
  }
}

async function prepare(ctx: AppContext, owner: OwnerId, input: StepInput): Promise<PreparedStep> {
  const { name, account, retries } = input;
  const { component, chosen, labels } = await componentOf(ctx, owner, input);
  const compiled = compileProps(withAccount(input.props, component.definition.props, account));
  if (Array.isArray(compiled)) throw invalidExpressions(compiled);
  const computed = new Set(Object.keys(compiled.computed));
  const { props, values } = await configure(
    ctx,
    { owner, component, computed, previous: [] },
    // The computed ones too, without values: a name that is no prop may be the one that another prop misses.
    { stored: {}, given: { ...absentOf(computed), ...compiled.fixed } },
  );
  refuseSourceProps(props);
  const added = additionalProps(component.definition.props, props);
  const isComputed = computed.size > 0;
  const code = expressionModule(compiled.computed);
  const secrets = new Set(props.filter(({ secret }) => secret === true).map((prop) => prop.name));
  const shownProps = shownValues(props, input.props);
  const fixed = Object.entries(values).filter(([prop]) => !computed.has(prop));
  const { plain, sealed } = await sealSecrets(ctx.vault, placeOfStep(owner, name), {
    props,
    values: Object.fromEntries(fixed),
  });
  return {
    planned: {
      name,
      bundleHash: component.bundleHash,
      labels,
      props: props.map((prop) => ({ name: prop.name, type: prop.type })),
      additional: added.length === 0 ? "" : JSON.stringify(added),
      values: plain,
      sealed,
      secrets: [...secrets],
      expressions: isComputed ? { hash: await sha256Hex(code), code } : null,
      retries: retries ?? null,
      ...(component.definition.namesRespond === false && { namesRespond: false }),
    },
    shown: {
      name,
      ...chosen,
      props: Object.fromEntries(Object.entries(shownProps).filter(([prop]) => !secrets.has(prop))),
      ...(account && { account }),
      ...(retries && { retries }),
    },
  };
}

type Runnable = Pick<Component, "definition" | "bundleHash">;

/** The component of a step: its choice and its name. */
type Found = { component: Runnable; chosen: Chosen; labels: ScriptLabels };
type Chosen = Pick<WorkflowStep, "codeHash" | "componentId" | "key">;

async function componentOf(
  ctx: AppContext,
  owner: OwnerId,
  { code, componentId, key = "" }: StepInput,
): Promise<Found> {
  if (code !== undefined) return inline(ctx, owner, code);
  const found = componentId
    ? await componentById(ctx.db, owner, componentId)
    : await componentByKey(ctx.db, { user: owner, first: owner }, key);
  const component = await builtComponent(ctx, found);
  if (!component) throw notFound("component", componentId ?? key);
  if (component.definition.type !== "action")
    throw new RequestError("invalid_input", "a source cannot be a step: only actions can");
  const chosen = componentId ? { componentId } : { key };
  return { component, chosen, labels: labelsOf(component) };
}

async function inline(ctx: AppContext, owner: OwnerId, code: string): Promise<Found> {
  const files = { "component.js": code, "step.js": INLINE };
  const { bundle, definition } = await evaluate(ctx, owner, { entry: "step.js", files });
  const codeHash = await sha256Hex(code);
  await Promise.all([ctx.codeStore.putCode(codeHash, code), ctx.codeStore.putBundle(bundle)]);
  const labels = { component: definition.key ?? codeHash, version: definition.version };
  return { component: { definition, bundleHash: bundle.hash }, chosen: { codeHash }, labels };
}

/** `account` is the account of every app without one of its own. */
function withAccount(
  given: Values,
  props: readonly PropDefinition[],
  account: Id<"account"> | undefined,
): Values {
  if (account === undefined) return given;
  const apps = props.filter(({ type, name }) => type === "app" && given[name] === undefined);
  const chosen = apps.map(({ name }) => [name, { authProvisionId: account }]);
  return { ...given, ...Object.fromEntries(chosen) };
}

function absentOf(names: Iterable<string>): Values {
  return Object.fromEntries([...names].map((name) => [name, null]));
}

function refuseSourceProps(props: readonly PropDefinition[]): void {
  const issues = props
    .filter(({ type }) => SOURCE_PROPS.has(type))
    .map(({ name, type }) => ({
      path: `props.${name}`,
      message: `a step cannot have a prop of type ${type}`,
    }));
  if (issues.length > 0) throw new RequestError("invalid_input", sentenceOf(issues), { issues });
}

function invalidExpressions(issues: Issue[]): RequestError {
  return new RequestError("invalid_configuration", sentenceOf(issues), {
    issues: issues.map(({ path, message }) => ({ path, message })),
  });
}

function sentenceOf(issues: readonly Issue[]): string {
  return issues.map(({ path, message }) => `${path}: ${message}`).join("; ");
}

/** The refusal with the step that it is about. */
function ofStep(step: string, { code, message, details }: RequestError): RequestError {
  // A missing part of a step is an error of this request's body, not a missing resource of its path.
  const isMissing = code === "not_found";
  return new RequestError(isMissing ? "invalid_input" : code, `step "${step}": ${message}`, {
    ...details,
    step,
  });
}
