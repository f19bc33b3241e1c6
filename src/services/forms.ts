import { type Choices, readChoices, staticChoices } from "#domain/choices.ts";
import type { PropDefinition } from "#domain/definition.ts";
import { invalidInput, RequestError } from "#domain/errors.ts";
import type { Id } from "#domain/ids.ts";
import { checkUnfinished, type Values } from "#domain/props.ts";

import { ownerFor } from "./access.ts";
import { componentFor } from "./components.ts";
import type { Context } from "./context.ts";
import {
  type PropContext,
  evaluateOptions,
  evaluateProps,
  type OptionsInput,
} from "./prop-evaluation.ts";
import { accepted } from "./sources/configuration.ts";

export type { Choices } from "#domain/choices.ts";
export type { PropDefinition } from "#domain/definition.ts";

/** How far a form is filled in, and for whom. */
export type Form = {
  configuredProps: Values;
  /** The props that it shows beyond those that the component declares. */
  dynamicProps?: PropDefinition[] | undefined;
  workspace?: Id<"workspace"> | undefined;
};

/**
 * The choices of a prop (docs/contract.md: Async options), a page of them where the component has pages. Refuses a prop that has
 * none; an error of its `options` is in the refusal.
 */
export async function loadOptions(
  ctx: Context,
  keyOrId: string,
  { propName, ...form }: { propName: string } & OptionsInput & Form,
): Promise<Choices> {
  const asked = await askedBy(ctx, keyOrId, form);
  const written = writtenChoices(asked, propName);
  if (written) return written;
  const { page, prevContext, query } = form;
  const text = await evaluateOptions(ctx, asked, { prop: propName, page, prevContext, query });
  if (text === "null") throw noSuchProp("is not a prop of the component");
  const choices = readChoices(text);
  if (!choices) throw unreadable(propName);
  return choices;
}

/** The choices of a prop that need no evaluation. A prop that is not known may still be one that is added. */
function writtenChoices(
  { component, previous }: PropContext,
  propName: string,
): Choices | undefined {
  const { props, dynamic } = component.definition;
  const prop = [...props, ...previous].find(({ name }) => name === propName);
  if (!prop && !dynamic) throw noSuchProp("is not a prop of the component");
  const written = prop && staticChoices(prop);
  if (prop && !written && prop["remoteOptions"] !== true) throw noSuchProp("has no options");
  return written;
}

/** All props of a component for what is configured so far (docs/contract.md: Additional props). An error of it is in the refusal. */
export async function reloadProps(
  ctx: Context,
  keyOrId: string,
  form: Form,
): Promise<PropDefinition[]> {
  const asked = await askedBy(ctx, keyOrId, form);
  const { definition } = asked.component;
  return definition.dynamic ? (await evaluateProps(ctx, asked)).props : definition.props;
}

async function askedBy(ctx: Context, keyOrId: string, form: Form): Promise<PropContext> {
  const owner = await ownerFor(ctx, form.workspace);
  const component = await componentFor(ctx, keyOrId);
  const declared = component.definition.props;
  const names = new Set(declared.map(({ name }) => name));
  const previous = (form.dynamicProps ?? []).filter(({ name }) => !names.has(name));
  const values = accepted(checkUnfinished([...declared, ...previous], form.configuredProps));
  return { owner, component, values, previous };
}

function noSuchProp(message: string): RequestError {
  return invalidInput([{ path: "prop_name", message }]);
}

function unreadable(prop: string): RequestError {
  const message = `options of ${prop} failed: what it gave are no options`;
  return new RequestError("invalid_configuration", message);
}
