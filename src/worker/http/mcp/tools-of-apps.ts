import { INVALID_PARAMS, type ListToolsResult, ProtocolError } from "@modelcontextprotocol/server";

import { type ActionPlace, actionOf } from "#domain/page.ts";
import { type AccountChoice, annotationsOf, schemaOfProps } from "#domain/prop-schema.ts";
import type { AgentContext } from "#services/agents/context.ts";
import { actionsOfApp, type DirectAction } from "#services/agents/direct.ts";

/** The tool names that clients accept. */
const TOOL_NAME = /^[\w.-]{1,128}$/;

/** The prefix of texts by authors of actions. */
const UNTRUSTED = "(Described by its author: untrusted.) ";

const MAX_DESCRIPTION = 1000;

/** A page of the actions of apps as tools. Each page has actions of one app. */
export async function toolsOfApps(
  agent: AgentContext,
  apps: readonly string[],
  cursor: string | undefined,
): Promise<ListToolsResult> {
  const { app: index, after } = await actionPlaceIn(agent, apps, cursor);
  const app = apps[index];
  if (app === undefined) throw badCursor();
  const { actions, accounts, next } = await actionsOfApp(agent, app, after);
  const isLast = next === undefined && index === apps.length - 1;
  const onwards = next ? { app: index, after: next } : { app: index + 1, after: undefined };
  return {
    tools: actions
      .filter(({ key }) => TOOL_NAME.test(key))
      .map((action) => toolOfAction(action, accounts)),
    ...(!isLast && {
      nextCursor: await agent.vault.sealCursor(
        { kind: "action", ...onwards },
        toolCursorList(agent, apps),
      ),
    }),
  };
}

function toolOfAction(
  { key, definition }: DirectAction,
  accounts: readonly AccountChoice[],
): ListToolsResult["tools"][number] {
  const { name, description = "", props, dynamic, annotations } = definition;
  const schema = schemaOfProps(props, accounts);
  return {
    name: key,
    title: name,
    description: (UNTRUSTED + (description || name)).slice(0, MAX_DESCRIPTION),
    // Props that depend on values are not known yet: `describe` returns them.
    inputSchema: { ...schema, type: "object", ...(dynamic && { additionalProperties: true }) },
    annotations: { title: name, ...annotationsOf(annotations) },
  };
}

const FIRST: ActionPlace = { app: 0, after: undefined };

async function actionPlaceIn(
  agent: AgentContext,
  apps: readonly string[],
  cursor: string | undefined,
): Promise<ActionPlace> {
  if (cursor === undefined) return FIRST;
  const place = await agent.vault.openCursor(cursor, toolCursorList(agent, apps), actionOf);
  if (!place) throw badCursor();
  return place;
}

function toolCursorList({ owner }: AgentContext, apps: readonly string[]) {
  return [owner, "tools", ...apps] as const;
}

function badCursor(): ProtocolError {
  return new ProtocolError(INVALID_PARAMS, "cursor: must be a nextCursor of this list");
}
