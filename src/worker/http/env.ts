import type { AgentContext } from "#services/agents/context.ts";
import type { ConnectContext, ProjectContext } from "#services/connect/context.ts";
import type { AppContext, UserContext } from "#services/context.ts";

/** The requested fields of the resources in `data`. */
export type FieldSelection = { include?: Set<string>; exclude?: Set<string> };

export type AppEnv = {
  Bindings: Env;
  Variables: {
    /** For every request. */
    requestId: string;
    platform: AppContext;
    fields: FieldSelection;
    /** For requests with a valid key: the rate limit headers of their responses. */
    rate?: Record<string, string>;
    /** The workspace in the JSON body, if any. */
    bodyWorkspace?: { path: "workspace_id" | "org_id"; named: unknown };
    /** The fields of the JSON body. */
    bodyFields?: string[];
    /** For requests to /v1. */
    context: UserContext;
    /** For requests to /v1/connect. */
    connect: ConnectContext;
    /** For requests to /v1/connect with a project in the path or the token. */
    project: ProjectContext;
    /** For requests to /mcp. */
    agent: AgentContext;
  };
};
