import type { CallToolResult, ListToolsResult } from "@modelcontextprotocol/server";

import { TOOLS } from "./tools-of-server.ts";
import { callTool, type ToolCall, unknownTool } from "./tools.ts";

/** What a request asks of the tools. `apps`: whose actions are tools by themselves. */
export type ToolScope = ToolCall & { apps: readonly string[] };

export async function listTools(_scope: ToolScope, _cursor?: string): Promise<ListToolsResult> {
  return { tools: TOOLS.map(({ listing }) => listing) };
}

export async function handleToolCall(
  scope: ToolScope,
  { name, arguments: given }: { name: string; arguments?: Record<string, unknown> | undefined },
): Promise<CallToolResult> {
  const tool = TOOLS.find(({ listing }) => listing.name === name);
  if (tool) return callTool(tool, scope, given);
  throw unknownTool(name);
}
