// @suites dispatch

import { env } from "cloudflare:workers";
import { expect, inject, test } from "vitest";

import { scriptName } from "#sandbox/script.ts";

import { signUp } from "../support/client.ts";
import { callsAbout } from "../support/cloudflare/client.ts";
import { eventsOf, sendJson } from "../support/deploy.ts";
import { dispatchesOf } from "../support/dispatches.ts";

test("a component that opens TCP connections runs through the loader, not as a script", async () => {
  const ada = await signUp();
  const component_code = `
    const net = require("net");
    module.exports = {
      name: "TCP", version: "0.0.1", props: { http: "$.interface.http" },
      async run({ body: { port } }) {
        const socket = net.connect(port, "127.0.0.1");
        socket.write("hello\\n");
        this.$emit(String(await new Promise((resolve) => socket.once("data", resolve))));
        socket.destroy();
      },
    };`;
  const { data } = (await ada.post("/sources", { component_code })).body;
  const stub = env.SOURCES.getByName(data.id);
  const port = inject("tcpPort");
  expect(await sendJson(data.configured_props.http.endpoint_url, { port })).toMatchObject({
    status: 200,
  });
  expect(await eventsOf(stub)).toMatchObject([{ event: "echo:hello\n" }]);

  const { deployment } = JSON.parse((await stub.current()) ?? "");
  const name = await scriptName({ owner: ada.user.id, bundleHash: deployment.bundleHash });
  expect(await callsAbout(name)).toEqual([]);
  expect((await dispatchesOf(name)).count).toBe(0);
});
