import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { exports } from "cloudflare:workers";
import { expect, test } from "vitest";

import { savedAction } from "../support/agents.ts";
import { ORIGIN, signUp } from "../support/client.ts";

/** The protocol authors' client, connected with a key. */
async function connected(key: string, modes: object = {}) {
  const client = new Client({ name: "test", version: "1.0.0" }, modes);
  const transport = new StreamableHTTPClientTransport(new URL(`${ORIGIN}/mcp`), {
    fetch: (input, init) => exports.default.fetch(new Request(input, init)),
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  });
  await client.connect(transport);
  return client;
}

test.for([
  ["this revision", { versionNegotiation: { mode: "auto" } }],
  ["an earlier revision", {}],
] as const)("the published client lists tools and calls them, by %s", async ([, modes]) => {
  const ada = await signUp();
  const key = await savedAction({ ada }, { code: `return "ran";` });
  const client = await connected(ada.user.api_key, modes);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    "search",
    "describe",
    "run",
    "connect",
    "execute",
  ]);
  const ran = await client.callTool({ name: "run", arguments: { action: key } });
  expect(ran).toMatchObject({ structuredContent: { untrusted_content: { ret: "ran" } } });
  const executed = await client.callTool({
    name: "execute",
    arguments: { code: `return [await run("${key}")]` },
  });
  expect(executed).toMatchObject({
    structuredContent: { untrusted_content: { result: ["ran"] } },
  });
  await client.close();
});
