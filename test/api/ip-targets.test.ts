// @suites loader

import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { app } from "#worker/http/app.ts";

import { ORIGIN, signUp } from "../support/client.ts";

/** The response of a platform on Cloudflare to a POST request. */
async function post(path: string, token: string, body: object) {
  const request = new Request(`${ORIGIN}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  const deployed = { ...env, ALLOW_PRIVATE_TARGETS: "false" };
  const response = await app.fetch(request, deployed, createExecutionContext());
  return { status: response.status, body: await response.json<{ error: string }>() };
}

test.for([
  ["/v1/webhooks", "url", (url: string) => ({ url, name: "W" })],
  ["/v1/components", "component_url", (url: string) => ({ component_url: url })],
  ["/v1/registry/imports", "archive_url", (url: string) => ({ archive_url: url })],
] as const)("on Cloudflare, %s refuses %s at an IP address", async ([path, field, bodyOf]) => {
  const { user } = await signUp();
  for (const host of ["93.184.216.34", "[2606:2800:220:1::1]"]) {
    const { status, body } = await post(path, user.api_key, bodyOf(`https://${host}/a.mjs`));
    expect([status, body.error]).toEqual([400, expect.stringContaining("use a host name")]);
    expect(body.error).toContain(field);
  }
});
