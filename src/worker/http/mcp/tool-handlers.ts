import type { CallToolResult, ListToolsResult } from "@modelcontextprotocol/server";

import type { Json } from "#domain/json.ts";
import { appsOfAction } from "#services/agents/actions.ts";
import { runForAgent } from "#services/agents/run.ts";

import { isFailedRun, presentResult } from "../action-result.ts";
import { toolsOfApps } from "./tools-of-apps.ts";
import { TOOLS } from "./tools-of-server.ts";
import { callTool, resulting, type ToolCall, unknownTool } from "./tools.ts";

/** The request to the tools. `apps`: those with actions as tools. */
export type ToolScope = ToolCall & { apps: readonly string[] };

/** The tools beside the actions of apps: props may depend on values, and accounts may have to be connected. */
const BESIDE_ACTIONS = new Set(["describe", "connect"]);

/** The tools of an endpoint: the actions of the apps in its request, else the fixed ones. */
export async function listTools(
  { agent, apps }: ToolScope,
  cursor: string | undefined,
): Promise<ListToolsResult> {
  if (apps.length === 0) return { tools: TOOLS.map(({ listing }) => listing) };
  const page = await toolsOfApps(agent, apps, cursor);
  const beside = TOOLS.filter(({ listing }) => BESIDE_ACTIONS.has(listing.name));
  const first = cursor === undefined ? beside.map(({ listing }) => listing) : [];
  return { ...page, tools: [...first, ...page.tools] };
}

export async function handleToolCall(
  scope: ToolScope,
  {
    name,
    arguments: given = {},
  }: { name: string; arguments?: Record<string, unknown> | undefined },
): Promise<CallToolResult> {
  const { agent, apps, cause } = scope;
  const tool = TOOLS.find(({ listing }) => listing.name === name);
  if (tool) return callTool(tool, scope, given);
  const used = apps.length > 0 ? await appsOfAction(agent, name) : undefined;
  if (!used?.some((app) => apps.includes(app))) throw unknownTool(name);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was read from JSON.
  const args = given as Record<string, Json>;
  const run = { action: name, args, field: "", cause } as const;
  return resulting(async () => presentResult(await runForAgent(agent, run)), {
    isUntrusted: true,
    hasFailed: isFailedRun,
  });
}
