// @suites loader

import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { app } from "#worker/http/app.ts";

import { savedAction } from "../support/agents.ts";
import { ORIGIN, signUp } from "../support/client.ts";
import { headersFor, messageOf } from "../support/mcp.ts";
import { strictLoader } from "../support/strict-loader.ts";

/** The result of a program, whose request may have as many isolates at work as on Cloudflare. */
async function executed(token: string, code: string) {
  const call = { name: "execute", arguments: { code } };
  const request = new Request(`${ORIGIN}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headersFor(token, "tools/call", call) },
    body: JSON.stringify(messageOf(1, "tools/call", call)),
  });
  const strict = { ...env, LOADER: strictLoader(env.LOADER) };
  const response = await app.fetch(request, strict, createExecutionContext());
  const { result } = await response.json<{
    result: { structuredContent: { untrusted_content: { result: unknown; error?: object } } };
  }>();
  return result.structuredContent.untrusted_content;
}

test("a program runs eight actions at once, though a request may have four isolates at work", async () => {
  const ada = await signUp();
  const numbers = Array.from({ length: 8 }, (_, n) => n);
  const actions = await Promise.all(
    numbers.map((n) => savedAction({ ada }, { name: `Act ${n}`, code: `return ${n};` })),
  );
  const program = `return Promise.all(${JSON.stringify(actions)}.map((one) => run(one, {})));`;
  const { result, error } = await executed(ada.user.api_key, program);
  expect([error, result]).toEqual([undefined, numbers]);
});

test("code that had no isolate is not at fault: the request may be sent again", async () => {
  const { user } = await signUp();
  const component_code = `export default { name: "Fine", version: "1", type: "action", run() {} };`;
  const request = new Request(`${ORIGIN}/v1/components`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${user.api_key}`,
    },
    body: JSON.stringify({ component_code }),
  });
  const busy = { ...env, LOADER: strictLoader(env.LOADER, 0) };
  const response = await app.fetch(request, busy, createExecutionContext());
  expect([response.status, await response.json()]).toMatchObject([429, { code: "overloaded" }]);
});
