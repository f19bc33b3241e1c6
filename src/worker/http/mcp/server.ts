import {
  createMcpHandler,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  ProtocolError,
  type Result,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { createMiddleware } from "hono/factory";

import { RequestError } from "#domain/errors.ts";
import { InsufficientScope, type AgentContext } from "#services/agents/context.ts";
import { log } from "#telemetry/log.ts";

import type { AppEnv } from "../env.ts";
import { challengeOf } from "./auth.ts";
import { EXTENSIONS, type McpMethod } from "./extensions.ts";

const SERVER_INFO = { name: "wellspring", title: "Wellspring", version: "0.1.0" };

/** The largest request. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** What a handler refused for a scope, which becomes a challenge of the whole response. */
type Refusals = { scope?: string };

/** The MCP endpoint: each request is served by a server of its own, and leaves nothing behind. */
export const mcpEndpoint = createMiddleware<AppEnv>(async (c) => {
  const refusals: Refusals = {};
  const handler = createMcpHandler(() => serverFor(c.var.agent, refusals), {
    maxRequestBodySize: MAX_BODY_BYTES,
    maxSubscriptions: 0,
  });
  const response = await handler.fetch(c.req.raw);
  const { scope } = refusals;
  if (scope === undefined) return new Response(response.body, response);
  const challenge = challengeOf(c, { error: "insufficient_scope", scope });
  const { headers } = new Response(null, response);
  headers.set("WWW-Authenticate", challenge);
  return new Response(response.body, { status: 403, headers });
});

function serverFor(agent: AgentContext, refusals: Refusals): Server {
  const extensions = Object.fromEntries(EXTENSIONS.map(({ id, settings }) => [id, settings]));
  const server = new Server(SERVER_INFO, { capabilities: { extensions } });
  for (const { methods } of EXTENSIONS)
    for (const method of methods) register(server, { agent, refusals }, method);
  return server;
}

type Serving = { agent: AgentContext; refusals: Refusals };

function register(server: Server, { agent, refusals }: Serving, method: McpMethod): void {
  const { params } = method;
  server.setRequestHandler(method.method, { params }, (given, ctx) =>
    answered(agent, refusals, () => method.handle(agent, given, exchangeOf(ctx))),
  );
}

function exchangeOf({ mcpReq: { id, signal, notify } }: ServerContext) {
  return { id, signal, notify };
}

/** Turn what a handler throws into a JSON-RPC error. */
async function answered<T extends Result>(
  agent: AgentContext,
  refusals: Refusals,
  handle: () => Promise<T>,
): Promise<T> {
  try {
    return await handle();
  } catch (error) {
    if (error instanceof InsufficientScope) refusals.scope = error.scope;
    throw protocolError(agent, error);
  }
}

function protocolError({ requestId: request_id }: AgentContext, error: unknown): ProtocolError {
  if (error instanceof ProtocolError) return error;
  if (error instanceof RequestError) {
    const { code, details, message } = error;
    return new ProtocolError(INVALID_PARAMS, message, { code, ...details });
  }
  log("request_failed", { request_id, error });
  return new ProtocolError(INTERNAL_ERROR, "Something went wrong on our side", { request_id });
}
