import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { newId } from "#domain/ids.ts";
import { shardOfName } from "#domain/source-shards.ts";
import { accept, type HttpResponse, refuse } from "#http/responses.ts";
import { createEndpointKey } from "#services/endpoint-keys.ts";
import { openVault } from "#vault/vault.ts";
import { ingress } from "#worker/ingress.ts";

import { ORIGIN } from "../support/client.ts";

const MISSING = refuse(404, "not_found", "No active source has this endpoint");

/** Send requests to a source with objects that respond so, and count the calls of each. */
function newSource(respond: (shard: number) => HttpResponse) {
  const calls = new Map<number, number>();
  const getByName = (name: string) => ({
    answer: async () => {
      const { shard } = shardOfName(name);
      calls.set(shard, (calls.get(shard) ?? 0) + 1);
      return respond(shard);
    },
  });
  const bindings = new Proxy(env, {
    get: (all, name) => (name === "SOURCES" ? { getByName } : Reflect.get(all, name)),
  });
  const key = createEndpointKey({ vault: openVault(env) }, newId("source"));
  const send = async (count: number) => {
    const url = `${ORIGIN}/e/${await key}`;
    const statuses = new Set<number | undefined>();
    for (let sent = 0; sent < count; sent += 1)
      statuses.add((await ingress(new Request(url, { method: "POST" }), bindings))?.status);
    return [...statuses];
  };
  return { calls, send };
}

test("requests of a source without shards go to its own object, once each", async () => {
  const { calls, send } = newSource(() => accept());
  expect(await send(20)).toEqual([200]);
  expect(calls).toEqual(new Map([[0, 20]]));
});

test("requests are spread over the shards that the last response named", async () => {
  let shards = 3;
  const { calls, send } = newSource(() => ({ ...accept(), shards }));
  expect(await send(60)).toEqual([200]);
  expect(new Set(calls.keys())).toEqual(new Set([0, 1, 2]));
  shards = 1;
  await send(1);
  calls.clear();
  await send(20);
  expect(calls).toEqual(new Map([[0, 20]]));
});

test("the source's own object responds for a shard that takes no requests any more", async () => {
  let isRetired = false;
  const { calls, send } = newSource((shard) => {
    if (shard > 0 && isRetired) return { ...MISSING, shards: 0 };
    return { ...accept(), shards: isRetired ? 1 : 16 };
  });
  await send(1);
  isRetired = true;
  calls.clear();
  expect(await send(20)).toEqual([200]);
  expect(calls.get(0)).toBe(20);
});

test("a 404 of a component on a shard is its response: the event is not run twice", async () => {
  const { calls, send } = newSource((shard) => ({
    ...(shard === 0 ? accept() : { status: 404, headers: {}, body: "none" }),
    shards: 16,
  }));
  await send(40);
  expect([...calls.values()].reduce((sum, count) => sum + count, 0)).toBe(40);
});
