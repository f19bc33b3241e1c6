import type { z } from "@hono/zod-openapi";
import type { Result } from "@modelcontextprotocol/server";

import type { AgentContext } from "#services/agents/context.ts";

/** The exchange of one request, for methods that stream: notifications are sent before the result. */
type McpExchange = {
  id: string | number;
  /** Aborted once the client disconnects. */
  signal: AbortSignal;
  notify: (notification: { method: string; params?: Record<string, unknown> }) => Promise<void>;
};

/** A JSON-RPC method beside those of the core protocol. A thrown `RequestError` becomes a JSON-RPC error. */
export type McpMethod<P extends z.ZodType = z.ZodType> = {
  method: string;
  params: P;
  handle(agent: AgentContext, params: z.output<P>, exchange: McpExchange): Promise<Result>;
};

/** An extension of the protocol: its capability of the server, and its methods. */
export type McpExtension = {
  /** Its declared name, such as `io.modelcontextprotocol/events`. */
  id: string;
  settings: Record<string, boolean | number | string | string[]>;
  methods: readonly McpMethod[];
};
