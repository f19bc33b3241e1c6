import type { AgentContext } from "#services/agents/context.ts";
import type { ConnectContext, ProjectContext } from "#services/connect/context.ts";
import type { AppContext, UserContext } from "#services/context.ts";

/** Which fields of the resources in `data` a caller wants to see. */
export type FieldSelection = { include?: Set<string>; exclude?: Set<string> };

export type AppEnv = {
  Bindings: Env;
  Variables: {
    /** Of every request. */
    requestId: string;
    platform: AppContext;
    fields: FieldSelection;
    /** Of requests with a valid key: the rate limit headers of their responses. */
    rate?: Record<string, string>;
    /** The workspace that the JSON body names, if any. */
    bodyWorkspace?: { path: "workspace_id" | "org_id"; named: unknown };
    /** The fields of the JSON body. */
    bodyFields?: string[];
    /** Of requests to /v1. */
    context: UserContext;
    /** Of requests to /v1/connect. */
    connect: ConnectContext;
    /** Of requests to /v1/connect that name a project, or whose token does. */
    project: ProjectContext;
    /** Of requests to /mcp. */
    agent: AgentContext;
  };
};
