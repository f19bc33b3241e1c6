import { callOfAction } from "#domain/action-calls.ts";
import type { Choices } from "#domain/choices.ts";
import { annotationsOf, type JsonSchema, schemaOfProps } from "#domain/prop-schema.ts";
import { appsOfProps } from "#domain/prop-schema.ts";
import type { Values } from "#domain/props.ts";

import { sealDynamicProps } from "../connect/dynamic-props.ts";
import { loadOptions, reloadProps } from "../prop-evaluation.ts";
import { accountsFor } from "./accounts.ts";
import { configuredBy, openAction, openComponent } from "./actions.ts";
import { namingArguments } from "./argument-names.ts";
import { type AgentContext, requireKind } from "./context.ts";

/** The action to describe, and the arguments so far. */
export type DescribeInput = {
  action: string;
  args?: Values | undefined;
  dynamicPropsId?: string | undefined;
};

/** An action as it is described to an agent before it runs. */
export type DescribedAction = {
  action: string;
  name: string;
  version: string;
  description: string;
  annotations: Record<string, boolean>;
  input_schema: JsonSchema;
  /** The expression by which `execute` calls it. */
  call: string;
  /** Whether further props depend on values: describe again with them. */
  dynamic: boolean;
  dynamic_props_id?: string;
};

/**
 * Describe an action with the accounts of its caller filled in. Props that depend on values are computed by its code if
 * some values are given, which needs the scope `act`.
 */
export async function describeAction(
  agent: AgentContext,
  { action, args, dynamicPropsId }: DescribeInput,
): Promise<DescribedAction> {
  requireKind(agent, "read");
  const opened = await openAction(agent, action, dynamicPropsId);
  const { component, key, added } = opened;
  const { name, version, description = "", annotations, dynamic } = component.definition;
  const about = {
    action: key,
    name,
    version,
    description,
    annotations: annotationsOf(annotations),
    call: callOfAction(key, appsOfProps(component.definition.props)),
    dynamic,
  };
  if (!dynamic || args === undefined)
    return { ...about, input_schema: schemaOfProps(opened.props, opened.accounts) };
  requireKind(agent, "act");
  const configuredProps = configuredBy(agent, opened, args);
  const props = await namingArguments("args", () =>
    reloadProps(agent, component.id, {
      configuredProps,
      dynamicProps: added,
      workspace: agent.workspace,
    }),
  );
  const declared = new Set(component.definition.props.map((prop) => prop.name));
  const more = props.filter((prop) => !declared.has(prop.name));
  const accounts = await accountsFor(agent, appsOfProps(props));
  return {
    ...about,
    input_schema: schemaOfProps(props, accounts),
    dynamic_props_id: await sealDynamicProps(agent, component, more),
  };
}

/** The choices of one of the props of an action or a source. Its code returns them, so the token must be allowed to act. */
export async function choicesOfProp(
  agent: AgentContext,
  {
    prop: propName,
    query,
    page,
    ...input
  }: DescribeInput & { prop: string; query?: string | undefined; page?: number | undefined },
): Promise<Choices> {
  requireKind(agent, "act");
  const { dynamicPropsId } = input;
  const opened = await openComponent(agent, input.action, { dynamicPropsId });
  const configuredProps = configuredBy(agent, opened, input.args ?? {});
  return namingArguments("args", () =>
    loadOptions(agent, opened.component.id, {
      propName,
      query,
      page,
      configuredProps,
      dynamicProps: opened.added,
      workspace: agent.workspace,
    }),
  );
}
