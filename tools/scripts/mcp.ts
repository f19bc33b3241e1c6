import type { Caller } from "./api.ts";

const REVISION = "2026-07-28";

const ENVELOPE = {
  "io.modelcontextprotocol/protocolVersion": REVISION,
  "io.modelcontextprotocol/clientInfo": { name: "tools", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** Send a request to the MCP endpoint as an agent does. `headers`: additional ones. Throws if it fails. */
export async function mcp(
  { url, apiKey }: Caller,
  method: string,
  {
    headers = {},
    ...params
  }: Record<string, unknown> & { name: string; headers?: Record<string, string> },
): Promise<void> {
  const response = await fetch(new URL("/mcp", url), {
    method: "POST",
    headers: {
      authorization: `Bearer ${apiKey}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": REVISION,
      "mcp-method": method,
      "mcp-name": params.name,
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: ENVELOPE } }),
  });
  const text = await response.text();
  if (response.status !== 200 || /"isError":true|"error":/.test(text))
    throw new Error(`${method} of ${params.name} failed: ${response.status} ${text}`);
}
