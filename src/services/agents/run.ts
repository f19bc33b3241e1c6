import type { Cause } from "#domain/chains.ts";
import { checkDeclared, checkProps, type Values } from "#domain/props.ts";

import { type ActionResult, runAction } from "../actions/run.ts";
import { accepted } from "../prop-evaluation.ts";
import { admitConfiguration, configuredBy, openAction } from "./actions.ts";
import { admitRun } from "./admission.ts";
import { type ArgumentsField, namingArguments } from "./argument-names.ts";
import { type AgentContext, requireKind } from "./context.ts";

/** The action that an agent runs, its arguments, the field that they are in, and the cause. */
export type AgentRun = { action: string; args: Values; field?: ArgumentsField; cause: Cause };

/** Refuse like `runForAgent`, as far as possible before the action's code runs. */
export async function checkRun(
  agent: AgentContext,
  { action, args }: Pick<AgentRun, "action" | "args">,
): Promise<void> {
  requireKind(agent, "act");
  const opened = await openAction(agent, action);
  const { dynamic } = opened.component.definition;
  const check = dynamic ? checkDeclared : checkProps;
  await namingArguments("args", () =>
    accepted(check(opened.props, configuredBy(agent, opened, args))),
  );
}

/**
 * Run an action for the agent's owner. The token's grant is checked before and after the action's code computes its
 * props.
 */
export async function runForAgent(
  agent: AgentContext,
  { action, args, field = "args", cause }: AgentRun,
): Promise<ActionResult> {
  requireKind(agent, "act");
  const opened = await openAction(agent, action);
  const configuredProps = configuredBy(agent, opened, args);
  await admitRun(agent);
  return namingArguments(field, () =>
    runAction(agent, {
      owner: agent.owner,
      component: opened.component,
      configuredProps,
      cause,
      admit: (configuration) => admitConfiguration(agent, configuration),
    }),
  );
}
