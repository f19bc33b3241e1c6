import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { newId } from "#domain/ids.ts";
import { createEndpointKey } from "#services/endpoint-keys.ts";
import { openVault } from "#vault/vault.ts";
import { ingress } from "#worker/ingress.ts";

import { ORIGIN } from "../support/client.ts";

/** The Worker's response for a source whose object fails with this error: no local runtime overloads an object. */
async function responseTo(failure: Error): Promise<[number | undefined, string | null, unknown]> {
  const object = { answer: () => Promise.reject(failure) };
  const unable = new Proxy(env, {
    get: (bindings, name) =>
      name === "SOURCES" ? { getByName: () => object } : Reflect.get(bindings, name),
  });
  const key = await createEndpointKey({ vault: openVault(env) }, newId("source"));
  const url = `${ORIGIN}/e/${key}`;
  const response = await ingress(new Request(url, { method: "POST", body: "{}" }), unable);
  const body = await response?.json<{ code: string }>();
  return [response?.status, response?.headers.get("retry-after") ?? null, body?.code];
}

test("a request that the runtime rejects before an overloaded object is 429 with Retry-After", async () => {
  const overload = Object.assign(
    new Error("Durable Object is overloaded. Requests queued for too long."),
    { overloaded: true, remote: false },
  );
  expect(await responseTo(overload)).toEqual([429, "1", "overloaded"]);
});

test("any other failure of an object is 503, because the event may have been stored", async () => {
  const lost = Object.assign(new Error("Network connection lost."), { retryable: true });
  expect(await responseTo(lost)).toEqual([503, "1", "unavailable"]);
});
