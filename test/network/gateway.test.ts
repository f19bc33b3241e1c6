import { env, exports } from "cloudflare:workers";
import { expect, inject, test } from "vitest";

import { networkOf, networkFetch } from "#sandbox/egress/network.ts";

import type { Received } from "../support/receiver-server.ts";

test("with a gateway a request goes there, whatever its target, and says where it was bound", async () => {
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

test("forbidden hosts are refused before the gateway gets the request", async () => {
  const gateway = { url: "http://127.0.0.1:1", owner: "u_1" as const };
  const network = { ...networkOf(exports.default, env), allowPrivate: false, gateway };
  await expect(networkFetch(new Request("http://10.0.0.1/"), network)).rejects.toThrow(TypeError);
});
