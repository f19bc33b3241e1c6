import { request } from "./client.ts";

const REVISION = "2026-07-28";

/** The metadata of a request in this revision of the protocol. */
const ENVELOPE = {
  "io.modelcontextprotocol/protocolVersion": REVISION,
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** A request as a message. */
export function messageOf(id: number, method: string, params: object) {
  return { jsonrpc: "2.0", id, method, params: { ...params, _meta: ENVELOPE } };
}

/** The headers of a request. */
export function headersFor(
  token: string | undefined,
  method: string,
  { name }: Record<string, unknown>,
): Record<string, string> {
  return {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": REVISION,
    "mcp-method": method,
    ...(typeof name === "string" && { "mcp-name": name }),
  };
}

/** Calls the MCP endpoint with a token; `query` and `headers` are those of every request. */
export function agentOf(
  token: string | undefined,
  { query = "", headers = {} }: { query?: string; headers?: Record<string, string> } = {},
) {
  let id = 0;
  const send = (method: string, params: Record<string, unknown> = {}, more: object = {}) =>
    request("POST", `/mcp${query}`, {
      body: messageOf(++id, method, params),
      headers: { ...headersFor(token, method, params), ...headers, ...more },
    });
  return {
    send,
    /** The result of a tool, together with `isError`. */
    call: async (name: string, args: object = {}) => {
      const { status, body } = await send("tools/call", { name, arguments: args });
      return { status, error: body.error, ...body.result };
    },
  };
}
