import { env, exports } from "cloudflare:workers";
import { expect, inject, test } from "vitest";

import { networkOf, networkFetch } from "#sandbox/egress/network.ts";

import type { Received } from "../support/receiver-server.ts";

test("sends every request to the gateway, with its target in a header", async () => {
  const url = `${inject("receiverServer")}/${crypto.randomUUID()}`;
  const network = { ...networkOf(exports.default, env), gateway: { url, owner: "u_1" as const } };
  const request = new Request("https://nowhere.test/a?b=1", {
    method: "PATCH",
    headers: { "x-own": "1" },
    body: "text",
  });
  expect((await networkFetch(request, network)).status).toBe(200);
  const [got] = await (await fetch(url)).json<Received[]>();
  expect(got).toMatchObject({
    body: "text",
    headers: {
      "x-own": "1",
      "x-wellspring-target": "https://nowhere.test/a?b=1",
      "x-wellspring-owner": "u_1",
    },
  });
});

test("rejects forbidden hosts before the gateway gets the request", async () => {
  const gateway = { url: "http://127.0.0.1:1", owner: "u_1" as const };
  const network = { ...networkOf(exports.default, env), allowPrivate: false, gateway };
  await expect(networkFetch(new Request("http://10.0.0.1/"), network)).rejects.toThrow(TypeError);
});
